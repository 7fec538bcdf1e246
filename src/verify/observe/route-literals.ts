import { findBlocks } from '../../lanes/index.ts';

/** A path in quotes, with the ways in which frameworks write what varies in it. */
const literal = /["'`](\/[A-Za-z][\w\-./:{}<>*$]{0,99})["'`]/g;
/** Nobody hides a way in behind others: these are many more than changes name. */
const routesMax = 60;

/**
 * Routes that a patch names, in what it adds before what stands around it: whoever opens a way in
 * most often writes it down there.
 */
export function routeLiterals(patch: string): string[] {
  const blocks = findBlocks(patch);
  const added = blocks.flatMap(({ changed }) => changed.filter((line) => line.startsWith('+')));
  const lines = [...added, ...blocks.flatMap(({ around }) => around)];
  const found = lines.flatMap((line) => [...line.matchAll(literal)].map(([, path]) => path ?? ''));
  return [...new Set(found)].slice(0, routesMax);
}

const varying = /^(?::|\{|<|\*|\$)/;

/** Paths that can be asked for: what varies in a route is filled with something that was seen. */
export function filledRoutes(route: string, ids: readonly string[]): string[] {
  const segments = route.split('/');
  if (!segments.some((segment) => varying.test(segment))) return [route];
  return (ids.length > 0 ? ids : ['1']).map((id) =>
    segments.map((segment) => (varying.test(segment) ? encodeURIComponent(id) : segment)).join('/'),
  );
}
