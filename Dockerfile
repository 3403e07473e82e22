# Gossamer in a container. It was not run where it was written: there is no Docker there.
#   docker build -t gossamer .
#   docker run --rm -v gossamer:/data gossamer crawl https://example.org/ --contact you@example.org
#   docker run --rm -v gossamer:/data -p 127.0.0.1:8080:8080 gossamer
FROM python:3.11-slim
COPY layers/gossamer /tmp/gossamer
COPY LICENSE /tmp/gossamer/
RUN pip install --no-cache-dir /tmp/gossamer && rm -r /tmp/gossamer \
    && useradd --create-home gossamer && install -d -o gossamer /data
USER gossamer
ENV GOSSAMER_DATA=/data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["gossamer"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
