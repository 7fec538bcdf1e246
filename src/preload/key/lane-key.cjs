'use strict';

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The two headers that carry the key, each a list of members in the form of its W3C standard. */
const carriers = {
  baggage: { member: 'surety-lane', membersMax: Number.POSITIVE_INFINITY },
  // A list that is longer than the standard allows may be thrown away as a whole on its way.
  tracestate: { member: 'surety', membersMax: 32 },
};

/**
 * The key that these headers carry, also in the header that surety.yaml may name for it. Baggage
 * wins: the router has refused what contradicts itself.
 */
function readKey(headers, header) {
  return (
    findKey(headers.baggage, carriers.baggage) ??
    findKey(headers.tracestate, carriers.tracestate) ??
    (header === undefined ? undefined : wholeKey(headers[header]))
  );
}

function findKey(list, { member }) {
  // Nearly every request ends here: it must cost nothing.
  if (list === undefined) return undefined;
  return String(list)
    .split(',')
    .filter((text) => nameOf(text) === member)
    .map(keyIn)
    .find((value) => keyPattern.test(value));
}

/** What a suite asks to go wrong on the way of its request: for the router, hop by hop. */
function readFaults(baggage) {
  if (!baggage?.includes('surety-fault')) return undefined;
  const members = String(baggage).split(',');
  return members.find((text) => nameOf(text) === 'surety-fault')?.trim();
}

function wholeKey(value) {
  return typeof value === 'string' && keyPattern.test(value.trim()) ? value.trim() : undefined;
}

/** The value of a carrier with our member first, and all others as they were. */
function addKey(name, list, key) {
  const { member, membersMax } = carriers[name];
  const others = [list ?? []]
    .flat()
    .flatMap((text) => String(text).split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '' && nameOf(text) !== member);
  return [`${member}=${key}`, ...others.slice(0, membersMax - 1)].join(',');
}

function nameOf(text) {
  return text.split('=', 1)[0].trim();
}

/** Without the properties that a member of baggage may have. */
function keyIn(text) {
  return text
    .slice(text.indexOf('=') + 1)
    .split(';', 1)[0]
    .trim();
}

module.exports = {
  readKey,
  readFaults,
  addKey,
  isCarrier: (name) => Object.hasOwn(carriers, name),
};
