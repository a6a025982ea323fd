"""Networks of dots and boxes trained by back-propagation: what two studies share."""
