# Gossamer in a container, with the packages of the lock. It was not run where it was written: there is no Docker there.
#   docker build -t gossamer .
#   docker run --rm -v gossamer:/data gossamer crawl https://example.org/ --contact you@example.org
#   docker run --rm -v gossamer:/data -p 127.0.0.1:8080:8080 gossamer
# The tag takes Debian's fixes with every build. An image that must be the same each time names a digest:
#   docker build --build-arg BASE=python:3.11-slim-bookworm@sha256:… -t gossamer .
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
COPY requirements/build.txt /locks/build.txt
COPY layers/deps/requirements.txt /locks/requirements.txt
RUN pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r /locks/build.txt \
    && python -m venv /opt/gossamer \
    && /opt/gossamer/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r /locks/requirements.txt
COPY layers/gossamer /source
COPY LICENSE /source/LICENSE
COPY NOTICE /source/NOTICE
RUN pip wheel --no-index --no-deps --no-build-isolation -w /wheels /source \
    && /opt/gossamer/bin/pip install --no-cache-dir --no-index --no-deps /wheels/*.whl

FROM ${BASE}
COPY --from=build /opt/gossamer /opt/gossamer
RUN useradd --create-home gossamer && install -d -o gossamer /data
USER gossamer
ENV PATH=/opt/gossamer/bin:$PATH GOSSAMER_DATA=/data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["gossamer"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
