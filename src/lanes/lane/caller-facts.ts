/**
 * What earlier lanes showed of unchanged services: which of them lose the key, and for which
 * requests they were seen to pass it on. Kept in memory: without it a caller is copied once more.
 */
export class CallerFacts {
  readonly #losses = new Map<string, string>();
  readonly #proven = new Map<string, Set<string>>();
  readonly #checked = new Set<string>();

  /** Of a service as it is in this version. */
  of(service: string, base: string): { readonly loss?: string; readonly isProven: boolean } {
    const name = nameOf(service, base);
    const loss = this.#losses.get(name);
    const isProven = (this.#proven.get(name)?.size ?? 0) > 0;
    return loss === undefined ? { isProven } : { loss, isProven };
  }

  /** Whether it was seen to pass the key on for all of these requests. */
  isProvenFor(service: string, base: string, requests: readonly string[]): boolean {
    const proven = this.#proven.get(nameOf(service, base));
    return requests.every((one) => proven?.has(one) ?? false);
  }

  /** Whether the known requests were sent through a lane of this version. */
  isChecked(base: string): boolean {
    return this.#checked.has(base);
  }

  setChecked(base: string): void {
    this.#checked.add(base);
  }

  addLoss(service: string, base: string, why: string): void {
    this.#losses.set(nameOf(service, base), why);
  }

  addProof(service: string, base: string, requests: readonly string[]): void {
    const name = nameOf(service, base);
    this.#proven.set(name, new Set([...(this.#proven.get(name) ?? []), ...requests]));
  }
}

function nameOf(service: string, base: string): string {
  return `${base} ${service}`;
}
