'use strict';

/** One agent in each process: what it was given. */
let isProxy, globals, limits, values;

const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, keys } = Object;
const isEnumerable = Object.prototype.propertyIsEnumerable;
const mapGet = Map.prototype.get;
const mapHas = Map.prototype.has;
const setHas = Set.prototype.has;
/** What an optional chain goes on with once its object is missing. */
const missing = { __proto__: null };

class Refusal extends Error {}

const refuse = (reason) => {
  throw new Refusal(reason);
};

const isPrimitive = (value) =>
  value === null || (typeof value !== 'object' && typeof value !== 'function');

const primitive = (value, operator) => {
  if (isPrimitive(value)) return value;
  return refuse(`${operator} of an object would call its valueOf or toString`);
};

const findDescriptor = (object, key) => {
  for (let owner = object; owner !== null; owner = getPrototypeOf(owner)) {
    if (isProxy(owner)) refuse(`${String(key)} is read from a proxy`);
    if (key === 'stack' && hasOwn(owner, key) && !Reflect.apply(isEnumerable, owner, [key])) {
      refuse('stack would be formatted by Error.prepareStackTrace of the application');
    }
    const descriptor = getOwnPropertyDescriptor(owner, key);
    if (descriptor !== undefined) return descriptor;
  }
  return undefined;
};

/** Sizes that only builtins know. */
const sizeOf = (object, key) => {
  if (key === 'headers') return headersOf(object);
  const readers =
    key === 'size' ? [values.mapSize, values.setSize] : key === 'byteLength' ? [values.bytes] : [];
  if (key === 'length' && ArrayBuffer.isView(object)) return typedLength(object);
  for (const reader of readers) {
    try {
      return Reflect.apply(reader, object, []);
    } catch {
      // Another kind of object.
    }
  }
  return refuse(`${String(key)} is an accessor, which would run code`);
};

/** Node makes the headers of a request when they are first asked for; this asks the raw ones. */
const headersOf = (request) => {
  const raw = findDescriptor(request, 'rawHeaders')?.value;
  if (!isList(raw)) return refuse('headers is an accessor, which would run code');
  const list = items(raw);
  const headers = { __proto__: null };
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = `${primitive(list[index], 'a header')}`.toLowerCase();
    const value = primitive(list[index + 1], 'a header');
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
};

const lengthGetter = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'length').get;
const typedLength = (object) => {
  try {
    return Reflect.apply(lengthGetter, object, []);
  } catch {
    return refuse('length is an accessor, which would run code');
  }
};

const ofString = (text, key) => {
  if (key === 'length') return text.length;
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 ? text[index] : undefined;
};

const keyOf = (key) => (typeof key === 'symbol' ? key : `${primitive(key, 'a property name')}`);

function get(object, key, isOptional = false) {
  if (object === missing) return missing;
  if (object === null || object === undefined) {
    if (isOptional) return missing;
    return refuse(`cannot read ${String(keyOf(key))} of ${object}`);
  }
  const name = keyOf(key);
  if (typeof object === 'string') return ofString(object, name);
  if (isPrimitive(object)) return undefined;
  const descriptor = findDescriptor(object, name);
  if (descriptor === undefined) return undefined;
  if (isList(object) && values.followsSecretName(object, Number(name))) return values.redacted;
  return hasOwn(descriptor, 'value') ? descriptor.value : sizeOf(object, name);
}

/** By a name that only the application knows: the value could not be redacted by it. */
function item(object, key, isOptional = false) {
  if (values.isSecret(String(keyOf(key)))) refuse('the name is that of a secret');
  return get(object, key, isOptional);
}

const chain = (value) => (value === missing ? undefined : value);

function global(name) {
  const descriptor = findDescriptor(globals, name);
  if (descriptor === undefined) return refuse(`${name} is not defined`);
  if (hasOwn(descriptor, 'value')) return descriptor.value;
  return refuse(`${name} is an accessor of the global object, which would run code`);
}

const typeofGlobal = (name) => {
  const descriptor = findDescriptor(globals, name);
  if (descriptor === undefined) return 'undefined';
  return hasOwn(descriptor, 'value') ? typeof descriptor.value : refuse(`${name} is an accessor`);
};

const bounded = (text) =>
  typeof text === 'string' && text.length > limits.flatChars
    ? refuse(`a text of ${text.length} characters`)
    : text;

const noBigint = (left, right, operator) => {
  if (typeof left === 'bigint' || typeof right === 'bigint') refuse(`${operator} of big integers`);
};

const equal = (left, right) => {
  const isMixed = isPrimitive(left) !== isPrimitive(right);
  const other = isPrimitive(left) ? left : right;
  if (isMixed && other !== null && other !== undefined) {
    return refuse('== of an object and a value would call its valueOf; use ===');
  }
  // biome-ignore lint/suspicious/noDoubleEquals: it is what the expression says.
  return left == right;
};

const add = (left, right) => bounded(primitive(left, '+')) + bounded(primitive(right, '+'));

const arithmetic = {
  __proto__: null,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
  '>>>': (left, right) => left >>> right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

function binary(operator, left, right) {
  if (operator === '===') return left === right;
  if (operator === '!==') return left !== right;
  if (operator === '==') return equal(left, right);
  if (operator === '!=') return !equal(left, right);
  if (operator === '+') return add(left, right);
  if (operator === 'in') return has(left, right);
  if (operator === 'instanceof') return isInstance(left, right);
  const run = arithmetic[operator] ?? refuse(`operator ${operator}`);
  const one = bounded(primitive(left, operator));
  const other = bounded(primitive(right, operator));
  if (!/^[<>]=?$/.test(operator)) noBigint(one, other, operator);
  return run(one, other);
}

const has = (key, object) => {
  if (isPrimitive(object)) return refuse('in needs an object');
  return findDescriptor(object, keyOf(key)) !== undefined;
};

/** Never asks Symbol.hasInstance: it could be a function of the application. */
const isInstance = (value, type) => {
  if (typeof type !== 'function') return refuse('instanceof needs a class');
  const prototype = get(type, 'prototype');
  if (isPrimitive(value) || isPrimitive(prototype)) return false;
  for (let owner = value; owner !== null; owner = getPrototypeOf(owner)) {
    if (isProxy(owner)) return refuse('instanceof of a proxy');
    if (getPrototypeOf(owner) === prototype) return true;
  }
  return false;
};

function unary(operator, value) {
  if (operator === '!') return !value;
  if (operator === 'typeof') return typeof value;
  if (operator === 'void') return undefined;
  const one = bounded(primitive(value, operator));
  if (operator === '-') return -one;
  if (operator === '+') return typeof one === 'bigint' ? refuse('+ of a big integer') : +one;
  return ~one;
}

/** Texts and values in turn. */
const template = (...parts) =>
  bounded(parts.reduce((text, next) => `${text}${bounded(primitive(next, '${}'))}`));

const ownItem = (list, index) => {
  const descriptor = getOwnPropertyDescriptor(list, index);
  if (descriptor === undefined) return undefined;
  if (values.followsSecretName(list, index)) return values.redacted;
  return hasOwn(descriptor, 'value') ? descriptor.value : refuse('an item is an accessor');
};

const items = (list) => {
  const length = Math.min(get(list, 'length'), limits.items);
  return Array.from({ length }, (_, index) => ownItem(list, index));
};

const isList = (value) => !isPrimitive(value) && !isProxy(value) && Array.isArray(value);

const textMethods = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'slice',
  'charAt',
  'at',
  'trim',
  'toLowerCase',
  'toUpperCase',
]);

const listMethods = {
  __proto__: null,
  includes: (list, value) => items(list).includes(value),
  indexOf: (list, value) => items(list).indexOf(value),
  at: (list, index) => {
    const at = Number(primitive(index, 'at'));
    return ownItem(list, at < 0 ? get(list, 'length') + at : at);
  },
  slice: (list, from, until) =>
    items(list).slice(primitive(from, 'slice'), primitive(until, 'slice')),
};

/** A method by its name, of texts, lists, maps and sets; never one of the application. */
function method(name, receiver, ...args) {
  if (receiver === missing) return missing;
  if (typeof receiver === 'string' && textMethods.has(name)) {
    bounded(receiver);
    return String.prototype[name].apply(
      receiver,
      args.map((value) => bounded(primitive(value, name))),
    );
  }
  if (isList(receiver) && listMethods[name]) return listMethods[name](receiver, ...args);
  if (isPrimitive(receiver) || isProxy(receiver)) return refuse(`${name} of ${typeof receiver}`);
  if (name === 'get') {
    if (typeof args[0] === 'string' && values.isSecret(args[0]))
      refuse('the key is that of a secret');
    return Reflect.apply(mapGet, receiver, args);
  }
  if (name === 'has') return hasMember(receiver, args);
  return refuse(`${name} of ${typeof receiver}`);
}

const hasMember = (receiver, args) => {
  try {
    return Reflect.apply(mapHas, receiver, args);
  } catch {
    return Reflect.apply(setHas, receiver, args);
  }
};

const functions = {
  __proto__: null,
  'Array.isArray': isList,
  'Object.keys': (value) => {
    if (isPrimitive(value) || isProxy(value)) return refuse('Object.keys of a proxy or a value');
    return keys(value).slice(0, limits.items);
  },
  'Number.isInteger': Number.isInteger,
  'Number.isFinite': Number.isFinite,
  'Number.isNaN': Number.isNaN,
  'Number.isSafeInteger': Number.isSafeInteger,
  String: (value) =>
    typeof value === 'symbol' ? '[symbol]' : `${bounded(primitive(value, 'String'))}`,
  Number: (value) => Number(bounded(primitive(value, 'Number'))),
  Boolean: (value) => Boolean(value),
};

const call = (name, ...args) => functions[name](...args);

/** Only the type of what is secret leaves the process. */
const hide = (value) => values.hide(value);

/**
 * What compiled expressions call instead of JavaScript's own operators: every property is read
 * from its descriptor, operators take primitives only, and no function of the application is ever
 * called. Runs in a context of its own, whose builtins nobody has replaced.
 */
function createOperators(given) {
  ({ isProxy, globals, limits, values } = given);
  return {
    __proto__: null,
    get,
    item,
    hide,
    chain,
    global,
    typeofGlobal,
    binary,
    unary,
    template,
    method,
    call,
  };
}

module.exports = { createOperators };
