'use strict';

const context = require('../context/context.cjs');
const { plainHeaders } = require('./messages.cjs');

/** Headers of a message that one side forwarded to the other: where it came from. */
const passedOn = { exchange: 'x-surety-exchange', routingKey: 'x-surety-routing-key' };
const isPassedOn = (headers) => headers?.[passedOn.routingKey] !== undefined;

/** Queues that only one connection can consume from: baseline and candidate have one each. */
const privateQueues = new WeakMap();

const tagged = new WeakSet();

/** The client amqplib, with promises or callbacks: both have a class of channels. */
function tagAmqp({ Channel: { prototype } }, messages) {
  const base = ownerOf(prototype, 'sendMessage');
  if (!tagged.has(base)) {
    tagged.add(base);
    tagSend(base, messages);
  }
  notePrivate(prototype);
  tagConsume(prototype, messages);
  if (messages.isCandidate) refuseGet(prototype);
}

function ownerOf(prototype, name) {
  return Object.hasOwn(prototype, name)
    ? prototype
    : ownerOf(Object.getPrototypeOf(prototype), name);
}

function tagSend(base, messages) {
  const { sendMessage } = base;
  base.sendMessage = function (fields, properties, content) {
    const send = (all) => Reflect.apply(sendMessage, this, [fields, all, content]);
    if (isPassedOn(properties.headers)) return send(properties);
    const tagged = tag(properties, messages);
    const { reported } = messages;
    const call = reported?.begin('rabbitmq', { destination: destinationOf(fields) });
    if (call === undefined) return send(tagged);
    const given = tagged.headers?.traceparent;
    const traceparent = reported.traceparentFor(call, given);
    const own = traceparent === undefined ? {} : { traceparent };
    return reported.sent(call, () => send({ ...tagged, headers: { ...tagged.headers, ...own } }));
  };
}

function destinationOf({ exchange, routingKey }) {
  return exchange ? `${exchange}:${routingKey}` : routingKey;
}

function tag(properties, messages) {
  const { headers = {} } = properties;
  const added = messages.headersToSend(textsIn(headers));
  if (added === undefined) return properties;
  const { baggage, tracestate, traceparent, 'x-surety-from': from } = added;
  const own = { baggage, tracestate, 'x-surety-from': from, ...(traceparent && { traceparent }) };
  return { ...properties, headers: { ...headers, ...own } };
}

/** Headers may also contain numbers, tables and lists, which are ignored. */
function textsIn(headers) {
  return plainHeaders(Object.entries(headers).filter(([, value]) => typeof value === 'string'));
}

function notePrivate(prototype) {
  const { assertQueue } = prototype;
  prototype.assertQueue = function (queue, options, ...rest) {
    if (queue && options?.exclusive) privateOf(this).add(queue);
    return Reflect.apply(assertQueue, this, [queue, options, ...rest]);
  };
}

function privateOf({ connection }) {
  if (!privateQueues.has(connection)) privateQueues.set(connection, new Set());
  return privateQueues.get(connection);
}

function isPrivate(channel, queue) {
  return queue.startsWith('amq.') || privateOf(channel).has(queue);
}

function tagConsume(prototype, messages) {
  const { consume } = prototype;
  prototype.consume = function (queue, callback, options, ...rest) {
    const kind = isPrivate(this, queue) ? 'private' : 'shared';
    const moved = messages.isCandidate && kind === 'shared';
    const about = { channel: this, queue, kind, noAck: Boolean(options?.noAck), messages };
    if (moved) makeOwn(this, messages.queueOf(queue));
    const source = moved ? messages.queueOf(queue) : queue;
    return Reflect.apply(consume, this, [source, filter(callback, about), options, ...rest]);
  };
}

/**
 * The queue is deleted with its consumer. A channel executes commands in order, so the queue exists
 * in time.
 */
function makeOwn(channel, queue) {
  const made = channel.assertQueue(queue, { durable: false, autoDelete: true }, () => {});
  made?.catch?.(() => {});
}

/** Messages of lanes wait in order for the router's answer; other messages do not wait. */
function filter(callback, about) {
  const { messages } = about;
  let last = Promise.resolve();
  return function (message) {
    const direct = () => Reflect.apply(callback, this, [message]);
    if (message === null) return direct();
    const headers = message.properties.headers ?? {};
    if (isPassedOn(headers)) restore(message);
    const texts = textsIn(headers);
    const read = messages.read(texts);
    const pass = () => reported(direct, { queue: about.queue, texts, read, messages });
    if (!read) return messages.isCandidate ? leave(message, about) : serveNobody(pass);
    const answer = messages.find({ ...read, name: about.queue, payload: message.content });
    last = last.then(async () => settle(await answer, { ...about, read, message, pass }));
  };
}

function reported(direct, { queue, texts: { traceparent }, read, messages }) {
  const { reported: by } = messages;
  const trace = by?.receive('rabbitmq', { destination: queue, traceparent, lane: read?.key });
  return trace === undefined ? direct() : by.handle(trace, direct);
}

function serveNobody(pass) {
  context.meet(undefined);
  return context.outside(pass);
}

/** The message as the other side received it. */
function restore({ fields, properties }) {
  const { [passedOn.exchange]: exchange, [passedOn.routingKey]: routingKey } = properties.headers;
  Object.assign(fields, { exchange, routingKey });
}

function settle({ whose, consumer }, about) {
  const { messages, message, read, pass, queue, kind } = about;
  if (whose === 'mine') {
    context.meet(read.key);
    messages.serve(messages.open(read), pass);
  } else if (whose === 'refused' || (messages.isCandidate && kind === 'shared')) {
    // The message was forwarded to a candidate that must not consume it any more: its lane has just
    // ended.
    messages.refuse({ ...read, name: queue });
    if (!about.noAck) about.channel.nack(message, false, false);
  } else {
    // If each side has its own queue, each has its own copy of the message.
    if (kind === 'shared') passOn(message, consumer, about);
    leave(message, about);
  }
}

/** Published first, then acknowledged: the broker may deliver twice, but loses nothing. */
function passOn({ fields, properties, content }, consumer, { channel, queue, messages }) {
  const { headers, userId: _, ...others } = properties;
  const from = {
    [passedOn.exchange]: fields.exchange,
    [passedOn.routingKey]: fields.routingKey,
  };
  const all = { ...others, headers: { ...headers, ...from }, mandatory: true };
  watchReturns(channel, messages);
  context.outside(() =>
    channel.publish('', messages.queueOf(queue, consumer), content, all, () => {}),
  );
}

const watched = new WeakSet();

/** The candidate does not consume from this queue, or has just ended. */
function watchReturns(channel, messages) {
  if (watched.has(channel)) return;
  watched.add(channel);
  channel.on('return', ({ fields, properties: { headers } }) => {
    const read = isPassedOn(headers) && messages.read(textsIn(headers));
    if (read) messages.refuse({ ...read, name: fields.routingKey });
  });
}

function leave(message, { channel, noAck }) {
  if (!noAck) channel.ack(message);
}

function refuseGet(prototype) {
  prototype.get = (queue) => {
    throw new Error(
      `In a lane, get('${queue}') would take the baseline's messages. Use consume, or a queue of ` +
        'its own by ownName of surety/queue.',
    );
  };
}

module.exports = { tagAmqp };
