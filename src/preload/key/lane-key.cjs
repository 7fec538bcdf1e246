'use strict';

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The two headers that carry the key, each a list of members in the form of its W3C standard. */
const carriers = {
  baggage: { member: 'surety-lane', membersMax: Number.POSITIVE_INFINITY },
  // A list that is longer than the standard allows may be dropped completely on its way.
  tracestate: { member: 'surety', membersMax: 32 },
};

/**
 * The key in these headers, including the header that surety.yaml may name. Baggage wins: the
 * router has already refused requests whose keys contradict each other.
 */
function readKey(headers, header) {
  return (
    findKey(headers.baggage, carriers.baggage) ??
    findKey(headers.tracestate, carriers.tracestate) ??
    (header === undefined ? undefined : wholeKey(headers[header]))
  );
}

function findKey(list, { member }) {
  // Nearly every request returns here, so it must cost nothing.
  if (list === undefined) return undefined;
  return String(list)
    .split(',')
    .filter((text) => nameOf(text) === member)
    .map(keyIn)
    .find((value) => keyPattern.test(value));
}

/** The faults that a suite wants to be injected, for the router at each hop. */
function readFaults(baggage) {
  if (!baggage?.includes('surety-fault')) return undefined;
  const members = String(baggage).split(',');
  return members.find((text) => nameOf(text) === 'surety-fault')?.trim();
}

function wholeKey(value) {
  return typeof value === 'string' && keyPattern.test(value.trim()) ? value.trim() : undefined;
}

/** The value of a carrier with our member first, and all others unchanged. */
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

/** The key without the properties that a baggage member may have. */
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
