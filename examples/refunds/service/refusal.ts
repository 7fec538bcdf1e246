/** An answer other than success, thrown from anywhere and told to the caller as JSON. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 409 | 500;
  readonly code: string;

  constructor(status: Refusal['status'], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
