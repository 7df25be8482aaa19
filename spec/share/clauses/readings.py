"""What each turn says of the ways in which clauses about share groups can be read."""

from spec.share.clauses.acknowledgements import error_fits
from spec.share.clauses.exact import counting_fits, parts_fit
from spec.share.clauses.limits import crossing_fits, lock_limit_fits
from spec.share.clauses.progress import waking_fits
from spec.share.clauses.ranges import splitting_fits
from spec.share.clauses.requests import unknown_mode_fits
from spec.share.clauses.sessions import closed_count_fits
from spec.share.turn import Turn

_FITS = {
    "SHR-009": closed_count_fits,
    "SHR-012": unknown_mode_fits,
    "SHR-112": lock_limit_fits,
    "SHR-120": crossing_fits,
    "SHR-122": splitting_fits,
    "SHR-123": counting_fits,
    "SHR-144": waking_fits,
    "SHR-170": parts_fit,
    "SHR-312": error_fits,
}


def fits(turn: Turn) -> dict[tuple[str, str], bool]:
    """(clause, reading) to whether the turn fits it, where the readings of a clause differ on the
    turn.
    """
    return {
        (clause_id, reading): fit
        for clause_id, find in _FITS.items()
        for reading, fit in find(turn).items()
    }
