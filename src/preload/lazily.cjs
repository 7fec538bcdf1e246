'use strict';

/** Created at its first use, so that a service pays nothing at its start for what it never uses. */
function lazily(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

module.exports = { lazily };
