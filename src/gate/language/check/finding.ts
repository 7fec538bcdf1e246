/** A remark about a valid policy that may not be what its author meant. */
export interface PolicyRemark {
  /** `error`: it cannot work. `warning`: it may be a mistake. `note`: for information. */
  readonly level: 'error' | 'warning' | 'note';
  /** As in `tools.refund.issue.preconditions.delivered`. */
  readonly where: string;
  readonly message: string;
  readonly remedy: string;
}
