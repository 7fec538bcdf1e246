'use strict';

const context = require('../context/context.cjs');
const { messageMs, plainHeaders } = require('./messages.cjs');

const ackPrefix = '$JS.ACK.';
const ackForm = /^\$JS\.ACK\.(?:[^.]+\.[^.]+\.)?[^.]+\.([^.]+)(?:\.\d+){5}/;
const pullForm = /^\$JS\.API\.CONSUMER\.MSG\.NEXT\.[^.]+\.([^.]+)$/;

/** The context of a message, for loops over messages; null for one of nobody. */
const contexts = new WeakMap();

/** What is reported of a message that a loop, or JetStream, gets to later. */
const traces = new WeakMap();

/**
 * The client for NATS, as `nats` and `@nats-io/nats-core` have it. Every message goes through one
 * class in it, in both directions.
 */
function tagNats({ ProtocolHandler: { prototype } }, { headers, Queue }, messages) {
  tagPublish(prototype, headers, messages);
  tagSubscribe(prototype, headers, messages);
  tagLoops(Queue.prototype, messages.reported);
}

function tagPublish(prototype, headers, messages) {
  const { publish } = prototype;
  prototype.publish = function (subject, payload, options) {
    if (messages.isCandidate) refuseForeignPull(subject, messages);
    const send = (all) => Reflect.apply(publish, this, [subject, payload, all]);
    if (!isForServices(subject, this)) return send(options);
    const tagged = tag(options, headers, messages);
    const about = { destination: subject, address: addressOf(this) };
    const { reported } = messages;
    const call = reported?.begin('nats', about);
    if (call === undefined) return send(tagged);
    const traceparentFor = (given) => reported.traceparentFor(call, given);
    const all = hasRoomForTrace(this, payload)
      ? withTrace(tagged, headers, traceparentFor)
      : tagged;
    return reported.sent(call, () => send(all));
  };
}

function addressOf({ server }) {
  return server?.hostname ? `${server.hostname}:${server.port}` : undefined;
}

/** As much as a trace and the headers of an application may take together. */
const headerBytes = 4_096;

/** A message must not be refused for what we add to it. */
function hasRoomForTrace({ info }, payload) {
  const bytes = (payload?.length ?? 0) * (typeof payload === 'string' ? 3 : 1);
  return Boolean(info?.headers) && bytes + headerBytes < info.max_payload;
}

/** So that what is done with the message is found under it. */
function withTrace(options, headers, traceparentFor) {
  const given = options?.headers;
  const traceparent = traceparentFor(given?.get('traceparent') || undefined);
  if (traceparent === undefined) return options;
  const all = copyOf(given, headers);
  put(all, 'traceparent', traceparent);
  return { ...options, headers: all };
}

/** Answers and what is said to the server itself have nobody to be told apart by. */
function isForServices(subject, { options }) {
  return !subject.startsWith('$') && !subject.startsWith(`${options.inboxPrefix ?? '_INBOX'}.`);
}

/** The application may use its headers for the next message: they stay as they are. */
function tag(options, headers, messages) {
  const given = options?.headers;
  const added = messages.headersToSend(given ? plainHeaders(given) : {});
  if (added === undefined) return options;
  const all = copyOf(given, headers);
  for (const name of ['baggage', 'tracestate', 'traceparent', 'x-surety-from']) {
    if (added[name] !== undefined) put(all, name, added[name]);
  }
  return { ...options, headers: all };
}

function copyOf(given, headers) {
  if (!given) return headers();
  // Their class takes any status that came; `headers` throws for a code that nobody described.
  const all = new given.constructor(given.code, given.description);
  for (const [name, values] of given) for (const value of values) all.append(name, value);
  return all;
}

function put(all, name, value) {
  for (const other of all.keys()) if (other.toLowerCase() === name) all.delete(other);
  all.set(name, value);
}

/** The baseline's consumer has a message for one puller only: a candidate would take it away. */
function refuseForeignPull(subject, { lane }) {
  const [, consumer] = pullForm.exec(subject) ?? [];
  if (consumer === undefined || consumer.endsWith(lane)) return;
  const reason =
    `The JetStream consumer ${consumer} has the baseline's work. In a lane use one of its own: ` +
    `ownName('${consumer}') of surety/queue, which is ${consumer}-${lane}.`;
  // Some ways to pull tell nobody of what went wrong.
  process.stderr.write(`surety: ${reason}\n`);
  throw new Error(reason);
}

function tagSubscribe(prototype, headers, messages) {
  const { subscribe } = prototype;
  prototype.subscribe = function (subscription) {
    const isInbox = !isForServices(subscription.subject, this);
    // In the baseline's group it would be given what is the baseline's.
    if (messages.isCandidate && subscription.queue && !isInbox) {
      subscription.queue = `${subscription.queue}-${messages.lane}`;
    }
    filter(subscription, { isInbox, headers, messages });
    return Reflect.apply(subscribe, this, [subscription]);
  };
}

/** Lanes' messages wait for the router's word, in their order; others wait for nobody. */
function filter(subscription, { isInbox, headers, messages }) {
  const { callback: deliver } = subscription;
  let last = Promise.resolve();
  subscription.callback = function (error, message) {
    const direct = () => Reflect.apply(deliver, this, [error, message]);
    const isStored = !error && message.reply?.startsWith(ackPrefix);
    if (error || (isInbox && !isStored)) return direct();
    const plain = message.headers && plainHeaders(message.headers);
    const read = plain && messages.read(plain);
    const isLater = !subscription.noIterator || isStored;
    const trace = traceOf(message, { plain, read, messages });
    const pass = () => passOn(direct, message, { trace, isLater, messages });
    const about = { read, message, pass, headers, messages, isInbox };
    if (!read)
      return isForCandidates(message, messages) ? serveNobody(message, pass) : leave(about);
    const answer = messages.whose({ ...read, name: message.subject, payload: message.data });
    last = last.then(async () => settle(await answer, about));
  };
}

function traceOf({ subject }, { plain, read, messages }) {
  const about = { destination: subject, traceparent: plain?.traceparent, lane: read?.key };
  return messages.reported?.receive('nats', about);
}

/** A callback is called now; a loop, and what JetStream gives the message to, gets to it later. */
function passOn(direct, message, { trace, isLater, messages: { reported } }) {
  if (trace === undefined) return direct();
  if (!isLater) return reported.handle(trace, direct);
  traces.set(message, trace);
  return reported.within(trace, direct);
}

/** What the server keeps for everybody (keys and values, objects) is nobody's work. */
function isForCandidates({ subject }, { isCandidate }) {
  return !isCandidate || subject.startsWith('$');
}

/** JetStream need not give it again; but the baseline's consumer is the baseline's to answer. */
function leave({ message, messages, isInbox }) {
  const [, consumer] = ackForm.exec(message.reply) ?? [];
  if (consumer === undefined) return;
  const isOwn = !messages.isCandidate || isInbox || consumer.endsWith(messages.lane);
  if (isOwn) message.respond('+TERM');
}

function serveNobody(message, pass) {
  context.meet(undefined);
  contexts.set(message, null);
  return context.outside(pass);
}

function settle(whose, about) {
  const { read, message, pass, headers, messages } = about;
  if (whose === 'mine') {
    context.meet(read.key);
    const opened = messages.open(read);
    contexts.set(message, opened);
    messages.serve(opened, pass);
    return;
  }
  if (whose === 'refused') messages.refuse({ ...read, name: message.subject });
  if (message.reply?.startsWith(ackPrefix)) leave(about);
  // A caller need not wait.
  else if (whose === 'refused' && message.reply) {
    message.respond(undefined, { headers: headers(503, 'lane ended') });
  }
}

/**
 * A loop over messages goes on in the context in which it waited. What it reads of each turn is
 * the message, and just then, in the loop itself, its context can be entered.
 */
function tagLoops(prototype, reported) {
  const { [Symbol.asyncIterator]: iterate } = prototype;
  prototype[Symbol.asyncIterator] = function () {
    return withContexts(Reflect.apply(iterate, this, []), reported);
  };
}

/** JetStream wraps what came. */
function contextOf(value) {
  const found = contexts.get(value);
  return found === undefined ? contexts.get(value?.msg) : found;
}

/** Once: what is read again is the same turn. */
function takeTrace(value) {
  const message = traces.has(value) ? value : value?.msg;
  const trace = traces.get(message);
  traces.delete(message);
  return trace;
}

const isServedHere = (serving) => context.entered()?.request === serving;

function withContexts(iterator, reported) {
  let serving;
  let told;
  // What the loop itself runs for, such as a request that waits for a message.
  let outerContext;
  let outerTrace;
  const leave = () => {
    if (told === undefined && serving === undefined) return;
    // Requests may share an iterator: one must not go on for another that read before it.
    const isHere = told ? reported.leave(told, outerTrace) : isServedHere(serving);
    if (serving !== undefined) context.close(serving, messageMs);
    if (isHere) context.enter(outerContext);
    serving = undefined;
    told = undefined;
    outerContext = undefined;
    outerTrace = undefined;
  };
  const turn = ({ done, value }) => ({
    done,
    get value() {
      // Others than messages to work on, such as answers, are for whoever waits for them.
      const found = done ? undefined : contextOf(value);
      if (found === undefined) return value;
      const before = context.entered();
      if (before !== serving) outerContext = before;
      serving = found ?? undefined;
      context.enter(serving);
      told ??= takeTrace(value);
      const trace = told && reported.enter(told);
      if (trace !== told) outerTrace = trace;
      return value;
    },
  });
  const step =
    (name) =>
    (...args) => {
      leave();
      return Promise.resolve(iterator[name](...args)).then(turn);
    };
  return {
    next: step('next'),
    return: step('return'),
    throw: step('throw'),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

module.exports = { tagNats };
