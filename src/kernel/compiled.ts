import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * Where processes of our own find what was compiled before, as a variable for their environment:
 * they start in half of the time. Nobody else's process is given it.
 */
export function compiledVariable(): { readonly NODE_COMPILE_CACHE?: string } {
  // Below it, each version of Node has a directory of its own.
  const ofThisNode = getCompileCacheDir();
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisNode) };
}
