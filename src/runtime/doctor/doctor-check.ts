/**
 * `bad` keeps Surety from working, `warn` will do so later, `note` is information: an optional part
 * is missing.
 */
export interface DoctorCheck {
  readonly name: string;
  readonly level: 'ok' | 'note' | 'warn' | 'bad';
  readonly detail: string;
  readonly remedy?: string;
}
