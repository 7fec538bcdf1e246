'use strict';

/** Made when it is first needed: what a service never uses costs it nothing at its start. */
function lazily(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

module.exports = { lazily };
