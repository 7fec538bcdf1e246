/**
 * `bad` keeps Surety from working here, `warn` will some day, `note` is only good to know: a part
 * that not everybody needs is missing.
 */
export interface DoctorCheck {
  readonly name: string;
  readonly level: 'ok' | 'note' | 'warn' | 'bad';
  readonly detail: string;
  readonly remedy?: string;
}
