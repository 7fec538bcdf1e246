import { findBlocks } from '../../lanes/index.ts';

/** A path in quotes, with the parameter syntax of common frameworks. */
const literal = /["'`](\/[A-Za-z][\w\-./:{}<>*$]{0,99})["'`]/g;
/** Far more than a change names, so that no route is hidden behind others. */
const routesMax = 60;

/** Routes that a patch names, first those in added lines: a new route is usually there. */
export function routeLiterals(patch: string): string[] {
  const blocks = findBlocks(patch);
  const added = blocks.flatMap(({ changed }) => changed.filter((line) => line.startsWith('+')));
  const lines = [...added, ...blocks.flatMap(({ around }) => around)];
  const found = lines.flatMap((line) => [...line.matchAll(literal)].map(([, path]) => path ?? ''));
  return [...new Set(found)].slice(0, routesMax);
}

const varying = /^(?::|\{|<|\*|\$)/;

/** Paths to request: parameters of a route are filled with known ids. */
export function filledRoutes(route: string, ids: readonly string[]): string[] {
  const segments = route.split('/');
  if (!segments.some((segment) => varying.test(segment))) return [route];
  return (ids.length > 0 ? ids : ['1']).map((id) =>
    segments.map((segment) => (varying.test(segment) ? encodeURIComponent(id) : segment)).join('/'),
  );
}
