'use strict';

/** After this many addresses, further ones are not distinguished. */
const placesMax = 16;

let tellLoss = () => {};

/** Registers the function that reports a call made without the key of a request, and why. */
function onLoss(tell) {
  tellLoss = tell;
}

/**
 * Reports once per request and kind; a certain loss is also reported after a possible one. A
 * connection is reported with its address, because the router may not be interested in it.
 */
function lose(context, how, to) {
  const place = context.losses.length < placesMax ? to : undefined;
  const isTold = context.losses.some((loss) => loss.how === how && covers(loss, place));
  if (isTold) return;
  context.losses.push({ how, to: place });
  tellLoss(context, how, place);
}

/** A possible loss is not reported if a possible or certain loss was reported before. */
function doubt(context, to) {
  if (!context.losses.some((loss) => covers(loss, to))) lose(context, 'shared', to);
}

/** A loss without an address covers calls to any address. */
function covers(loss, to) {
  return loss.to === undefined || loss.to === to;
}

module.exports = { onLoss, lose, doubt };
