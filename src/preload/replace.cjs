'use strict';

/**
 * Replaces a function of Node by one of ours that looks the same to a program: it has the same
 * name, number of arguments and own properties, and the property that holds it is of the same kind.
 */
function replace(owner, name, make) {
  const property = Object.getOwnPropertyDescriptor(owner, name);
  const direct = owner[name];
  const value = alike(make(direct), direct);
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: property?.enumerable ?? false,
    writable: true,
    value,
  });
}

function alike(made, direct) {
  const { prototype: _, ...properties } = Object.getOwnPropertyDescriptors(direct);
  return Object.defineProperties(made, properties);
}

module.exports = { alike, replace };
