"""Work on a whole collection on Spark, for collections that do not fit into one machine."""
