/** Something about a policy that is right by its language and still may not be meant. */
export interface PolicyRemark {
  /** `error`: it can't work as it stands. `warning`: it may not be meant. `note`: to be known. */
  readonly level: 'error' | 'warning' | 'note';
  /** As in `tools.refund.issue.preconditions.delivered`. */
  readonly where: string;
  readonly message: string;
  readonly remedy: string;
}
