'use strict';

/** One agent in each process: what it was given. */
let isProxy, isNativeError, limits, isSecret;

/** Stand-ins for secrets, with their kinds. */
const hidden = new WeakMap();

const { getOwnPropertyDescriptor, getPrototypeOf, keys, hasOwn } = Object;
const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setSize = getOwnPropertyDescriptor(Set.prototype, 'size').get;
const bytes = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'byteLength').get;
const time = Date.prototype.getTime;

const attempt = (run, value) => {
  try {
    return Reflect.apply(run, value, []);
  } catch {
    return undefined;
  }
};

/** Values with internal slots say so to the builtins of any context. */
const special = (value) => {
  const date = attempt(time, value);
  if (date !== undefined) return `[date: ${date}]`;
  if (ArrayBuffer.isView(value)) return `[binary: ${attempt(bytes, value)}]`;
  const size = attempt(mapSize, value) ?? attempt(setSize, value);
  return size === undefined ? undefined : `[collection: ${size}]`;
};

const kindOf = (value) => {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (isProxy(value)) return 'proxy';
  return Array.isArray(value) ? 'array' : 'object';
};

const redacted = '[redacted]';

/** Names and values in turn, as in the raw headers of a request: `['Cookie', 'a=b']`. */
const followsSecretName = (list, index) => {
  const { value: length } = getOwnPropertyDescriptor(list, 'length');
  if (length % 2 !== 0 || index % 2 !== 1) return false;
  const name = getOwnPropertyDescriptor(list, index - 1)?.value;
  return typeof name === 'string' && name.length <= limits.nameChars && isSecret(name);
};

class Reading {
  #nodes = limits.nodes;
  #chars = limits.chars;

  see(value, depth) {
    const kind = kindOf(value);
    if (this.#nodes-- <= 0) return `[${kind}]`;
    if (kind === 'string') return this.#text(value);
    if (kind === 'number')
      return Number.isFinite(value) && !Object.is(value, -0) ? value : number(value);
    if (kind === 'boolean' || kind === 'null') return value;
    if (kind === 'undefined') return null;
    if (kind === 'bigint') return this.#bigint(value);
    if (kind === 'function' || kind === 'symbol' || kind === 'proxy') return `[${kind}]`;
    const tag = special(value);
    if (tag !== undefined) return tag;
    if (depth <= 0) return `[${kind}]`;
    return kind === 'array' ? this.#list(value, depth - 1) : this.#members(value, depth - 1);
  }

  #text(value) {
    // A slice of a rope flattens all of it: 100 MB are not worth one line of a capture.
    if (value.length > limits.flatChars) return `[string: ${value.length} characters]`;
    const text = value.slice(0, limits.textChars);
    if (text.length > this.#chars) return '[string]';
    this.#chars -= text.length;
    return text;
  }

  #bigint(value) {
    const isSmall = BigInt.asIntN(256, value) === value;
    return isSmall ? this.#text(`${value}`) : '[bigint]';
  }

  #part(descriptor, depth) {
    if (descriptor === undefined) return null;
    return hasOwn(descriptor, 'value') ? this.see(descriptor.value, depth) : '[accessor]';
  }

  #list(value, depth) {
    const { value: length } = getOwnPropertyDescriptor(value, 'length');
    const out = [];
    for (let index = 0; index < length && index < limits.members; index++) {
      const isHidden = followsSecretName(value, index);
      out.push(isHidden ? redacted : this.#part(getOwnPropertyDescriptor(value, index), depth));
    }
    if (length > out.length) out.push(`[more: ${length - out.length}]`);
    return out;
  }

  #members(value, depth) {
    const out = { __proto__: null };
    // Keys of a huge object are all listed by V8: what is huge is only counted by its shape.
    const names = keys(value);
    for (const name of names.slice(0, limits.members)) {
      if (name === '__proto__') continue;
      const descriptor = getOwnPropertyDescriptor(value, name);
      out[name.slice(0, limits.nameChars)] = isSecret(name)
        ? redacted
        : this.#part(descriptor, depth);
    }
    if (isError(value)) {
      out.message = this.#part(getOwnPropertyDescriptor(value, 'message'), depth);
    }
    if (names.length > limits.members) out['[more]'] = names.length - limits.members;
    return out;
  }
}

/** By its internal slot: to ask for its stack could run Error.prepareStackTrace. */
function isError(value) {
  return isNativeError(value) && getOwnPropertyDescriptor(value, 'message') !== undefined;
}

function number(value) {
  return Object.is(value, -0) ? '-0' : `${value}`;
}

/** `{amount: string, lines: [{sku}]}`: types and names, no values. */
function shapeOf(value, depth = 2) {
  const kind = kindOf(value);
  if (kind === 'array') {
    const first = getOwnPropertyDescriptor(value, 0);
    const item =
      first && hasOwn(first, 'value') && depth > 0 ? shapeOf(first.value, depth - 1) : '';
    return `[${item}]`;
  }
  if (kind !== 'object') return kind;
  const tag = special(value);
  if (tag !== undefined) return tag.replace(/: .*/, ']');
  if (depth <= 0) return '{…}';
  const names = keys(value);
  const parts = names.slice(0, limits.members).map((name) => {
    const descriptor = getOwnPropertyDescriptor(value, name);
    if (!hasOwn(descriptor, 'value')) return `${name}: accessor`;
    return `${name.slice(0, 64)}: ${shapeOf(descriptor.value, depth - 1)}`;
  });
  return `{${parts.join(', ')}${names.length > limits.members ? ', …' : ''}}`.slice(0, 512);
}

const see = (value) => {
  const kind = typeof value === 'object' && value !== null ? hidden.get(value) : undefined;
  if (kind !== undefined) return [kind, redacted];
  return [kindOf(value), new Reading().see(value, limits.depth)];
};

const hide = (value) => {
  const standIn = {};
  hidden.set(standIn, kindOf(value));
  return standIn;
};

/**
 * Makes JSON of any value, within bounds, without running code of the application: own data
 * properties only, no proxies, no accessors. Runs in a context of its own, whose builtins nobody
 * has replaced.
 */
function createValues(given) {
  ({ isProxy, isNativeError, limits, isSecret } = given);
  return {
    see,
    hide,
    isSecret,
    followsSecretName,
    redacted,
    shapeOf,
    kindOf,
    mapSize,
    setSize,
    bytes,
  };
}

module.exports = { createValues };
