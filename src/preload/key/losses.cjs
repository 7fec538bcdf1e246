'use strict';

/** Where a request has lost its key so often, it need not be told apart any more. */
const placesMax = 16;

let tellLoss = () => {};

/** Who is told that a call was made without the key of a request, and how that came. */
function onLoss(tell) {
  tellLoss = tell;
}

/**
 * Once per request in each way: what surely was lost is told where others only may have been. A
 * connection to a place is told besides, by its address: it may be of no interest to the router.
 */
function lose(context, how, to) {
  const place = context.losses.length < placesMax ? to : undefined;
  const isTold = context.losses.some((loss) => loss.how === how && covers(loss, place));
  if (isTold) return;
  context.losses.push({ how, to: place });
  tellLoss(context, how, place);
}

/** A mere doubt is of no interest where there is a doubt or a loss already. */
function doubt(context, to) {
  if (!context.losses.some((loss) => covers(loss, to))) lose(context, 'shared', to);
}

/** A loss without a place is one wherever the call went. */
function covers(loss, to) {
  return loss.to === undefined || loss.to === to;
}

module.exports = { onLoss, lose, doubt };
