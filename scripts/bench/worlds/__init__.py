"""What is crawled, indexed and searched: real and generated sites, documents, queries, servers."""
