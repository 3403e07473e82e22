"""Archives that leave a collection: WARC files, and WACZ files for replay."""
