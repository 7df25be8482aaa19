"""SASL credentials, by the settings of a Kafka client: Java's keys and librdkafka's."""

from __future__ import annotations

import urllib.parse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.misuse import BadConfiguration
from conformance.systems.client_settings import ClientSettings
from conformance.systems.jaas import LoginModule, login_module
from conformance.systems.tls_settings import tls_context
from conformance.systems.tokens import CachedToken, ClientCredentials, TokenFile, unsecured_token
from conformance.wire.sasl import SCRAM_HASHES, OAuthBearer, Plain, Scram

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from conformance.wire.sasl import Sasl

MECHANISMS = ("PLAIN", *SCRAM_HASHES, "OAUTHBEARER")
_MODULES = {
    "PLAIN": "PlainLoginModule",
    **dict.fromkeys(SCRAM_HASHES, "ScramLoginModule"),
    "OAUTHBEARER": "OAuthBearerLoginModule",
}
_JAAS = "sasl.jaas.config"
_MECHANISM = ("sasl.mechanism", "sasl.mechanisms")
_ENDPOINT = ("sasl.oauthbearer.token.endpoint.url",)
_LOGIN_HANDLER = "sasl.login.callback.handler.class"
_KAFKAS_HANDLERS = ("OAuthBearerLoginCallbackHandler", "OAuthBearerUnsecuredLoginCallbackHandler")
_EXTENSION = "unsecuredLoginExtension_"
_OPTION_EXTENSION = "extension_"
_STRING_CLAIM = "unsecuredLoginStringClaim_"
_NUMBER_CLAIM = "unsecuredLoginNumberClaim_"
_UNSECURED_S = 3600.0


def sasl_of(settings: ClientSettings, file: str) -> Sasl:
    """The mechanism and the credentials that the settings name; `file` is where they come from.

    Raises:
        BadConfiguration: a setting is missing or can't be used.
    """
    named = settings.get(*_MECHANISM)
    if not named:
        raise settings.missing(
            _MECHANISM[0],
            f"name one of {', '.join(MECHANISMS)}: Kafka's default, GSSAPI, is not known here",
        )
    mechanism = settings.choice(settings.key_of(*_MECHANISM), (*MECHANISMS, "GSSAPI"), "")
    if mechanism == "GSSAPI":
        raise settings.wrong(
            settings.key_of(*_MECHANISM),
            f"one of {', '.join(MECHANISMS)}",
            "GSSAPI",
            "test over a listener with one of them",
        )
    module = _module(settings, mechanism, file)
    if mechanism == "OAUTHBEARER":
        return _oauth(settings, module, file)
    username, password = _credentials(settings, module)
    if mechanism == "PLAIN":
        return Plain(username, password)
    token = module is not None and module.options.get("tokenauth", "").lower() == "true"
    return Scram(mechanism, username, password, delegation_token=token)


def _module(settings: ClientSettings, mechanism: str, file: str) -> LoginModule | None:
    text = settings.secret(_JAAS)
    if text is None:
        return None
    try:
        module = login_module(text)
    except BadConfiguration as bad:
        raise BadConfiguration(f"{file}: {bad}") from bad
    if module.short_name != _MODULES[mechanism]:
        raise settings.wrong(
            _JAAS,
            f"the login module {_MODULES[mechanism]} for {mechanism}",
            "another one",
            "name the one of the mechanism",
        )
    return module


def _credentials(settings: ClientSettings, module: LoginModule | None) -> tuple[str, str]:
    """The user and the password: of the login module, otherwise librdkafka's keys."""
    keys = ("sasl.username", "sasl.password")
    found = [settings.secret(key) for key in keys]
    if module is not None:
        found = [module.options.get(key.rpartition(".")[2]) for key in keys]
    username, password = found
    if username is None or password is None:
        lacks = "username" if username is None else "password"
        key = _JAAS if module is not None else keys[username is not None]
        raise settings.wrong(
            key,
            "a username and a password",
            f"no {lacks}",
            f"set it in {_JAAS}, or by sasl.username and sasl.password",
        )
    return username, password


def _oauth(settings: ClientSettings, module: LoginModule | None, file: str) -> OAuthBearer:
    handler = settings.get(_LOGIN_HANDLER)
    if handler and handler.rpartition(".")[2] not in _KAFKAS_HANDLERS:
        raise settings.wrong(
            _LOGIN_HANDLER,
            f"Kafka's own {_KAFKAS_HANDLERS[0]}",
            "another class",
            "get a token by a token endpoint, or from a file by "
            f"{_ENDPOINT[0]}=file:///path/of/token",
        )
    options = {} if module is None else dict(module.options)
    settings.choice("sasl.oauthbearer.method", ("default", "oidc"), "default")
    settings.choice("sasl.oauthbearer.grant.type", ("client_credentials",), "client_credentials")
    extensions = _extensions(settings, options)
    endpoint = settings.get(*_ENDPOINT)
    if endpoint is None:
        return OAuthBearer(CachedToken(_unsecured_tokens(settings, options)), extensions)
    scheme = urllib.parse.urlsplit(endpoint).scheme
    if scheme == "file":
        path = urllib.parse.unquote(urllib.parse.urlsplit(endpoint).path)
        return OAuthBearer(TokenFile(Path(path)), extensions)
    if scheme not in ("http", "https"):
        raise settings.wrong(_ENDPOINT[0], "a URL with https, http or file", "another text")
    client_id = _option(
        settings,
        options,
        "clientId",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.id",
    )
    client_secret = _option(
        settings,
        options,
        "clientSecret",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.client.secret",
    )
    scope = settings.get("sasl.oauthbearer.scope") or options.get("scope", "")
    credentials = ClientCredentials(
        endpoint, client_id, client_secret, scope, _endpoint_tls(options, file)
    )
    return OAuthBearer(CachedToken(credentials.fetch), extensions)


def _option(settings: ClientSettings, options: dict[str, str], option: str, *keys: str) -> str:
    value = settings.secret(*keys) or options.get(option)
    if not value:
        raise settings.missing(
            keys[0], f"set it, or the option {option} of {_JAAS}, for the token endpoint"
        )
    return value


def _endpoint_tls(options: dict[str, str], file: str) -> ssl.SSLContext | None:
    """How the token endpoint is spoken with: Kafka takes the login module's ssl options for it."""
    given = {key: value for key, value in options.items() if key.startswith("ssl.")}
    return tls_context(ClientSettings(given, f"{file}: {_JAAS}")) if given else None


def _extensions(settings: ClientSettings, options: dict[str, str]) -> dict[str, str]:
    found = {
        name.removeprefix(prefix): value
        for name, value in options.items()
        for prefix in (_EXTENSION, _OPTION_EXTENSION)
        if name.startswith(prefix)
    }
    for pair in filter(None, (settings.get("sasl.oauthbearer.extensions") or "").split(",")):
        name, mark, value = pair.strip().partition("=")
        if not mark:
            raise settings.wrong(
                "sasl.oauthbearer.extensions", "NAME=VALUE, several with commas", "another text"
            )
        found[name] = value
    return found


def _unsecured_tokens(
    settings: ClientSettings, options: dict[str, str]
) -> Callable[[], tuple[str, float]]:
    """What makes tokens where no token endpoint is set, as Kafka's and librdkafka's clients do."""
    claims: dict[str, object] = {
        name.removeprefix(_STRING_CLAIM): value
        for name, value in options.items()
        if name.startswith(_STRING_CLAIM)
    }
    for name, value in options.items():
        if name.startswith(_NUMBER_CLAIM):
            try:
                claims[name.removeprefix(_NUMBER_CLAIM)] = float(value)
            except ValueError as failed:
                raise settings.wrong(_JAAS, f"a number as {name}", "another text") from failed
    config = settings.get("sasl.oauthbearer.config") or ""
    said = dict(pair.partition("=")[::2] for pair in config.split())
    if "principal" in said:
        claims["sub"] = said["principal"]
    if "sub" not in claims:
        raise settings.missing(
            _ENDPOINT[0],
            f"name the token endpoint, a token's file, or, for tests, {_STRING_CLAIM}sub in "
            f"{_JAAS}",
        )
    return partial(unsecured_token, claims, _UNSECURED_S)
