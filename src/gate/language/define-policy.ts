import type { PolicyDocument } from './document.ts';

/** A policy document in TypeScript: the same object as YAML gives, typed while it is written. */
export function definePolicy(document: PolicyDocument): PolicyDocument {
  return document;
}
