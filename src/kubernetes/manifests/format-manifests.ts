/** One document that `kubectl apply -f -` takes. */
export function formatManifests(items: readonly object[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`;
}
