# Fencepost as a container image: docker build -t fencepost . && docker run --rm fencepost smoke HOST:PORT
FROM python:3.13-slim
WORKDIR /opt/fencepost
COPY requirements-run.lock ./
RUN python -m pip install --no-cache-dir --no-deps --require-hashes -r requirements-run.lock
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY spec spec
COPY generators generators
COPY conformance conformance
COPY results results
COPY drafts drafts
COPY fencepost_pytest fencepost_pytest
RUN python -m pip install --no-cache-dir --no-deps --no-build-isolation . \
    && useradd --create-home --uid 1000 fencepost \
    && install -d -o fencepost /runs
USER fencepost
WORKDIR /runs
ENTRYPOINT ["fencepost"]
CMD ["--help"]
