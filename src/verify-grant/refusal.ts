const remedies = {
  GRANT_OPTIONS_INVALID: 'Correct how verifyGrant is called; until then nothing is let through.',
  GRANT_MALFORMED: 'Send the grant as Surety gave it, whole and unchanged.',
  GRANT_ALGORITHM_REFUSED:
    'Send a grant of Surety: a JWS of type surety-grant+jwt, signed by EdDSA.',
  GRANT_KEY_UNKNOWN: 'Fetch /.well-known/jwks.json again; if the key was revoked, propose again.',
  GRANT_SIGNATURE_WRONG: 'Do not execute this. Propose again and use the grant as it is given.',
  GRANT_OTHER_ISSUER: 'Use a grant of the workspace that this executor serves.',
  GRANT_OTHER_AUDIENCE: 'Give the grant to the executor that it was made for.',
  GRANT_OTHER_TOOL: 'Call the tool that was granted, or propose this one.',
  GRANT_OTHER_ARGUMENTS: 'Execute exactly the arguments that were granted, or propose these.',
  GRANT_EXPIRED: 'Propose again, and execute before the new grant ends.',
  GRANT_NOT_YET_VALID: 'Set the clocks of both machines, then try again.',
  GRANT_USED: 'A grant is good for one call. Propose again for another one.',
  GRANT_MEMORY_FULL: 'Try again when older grants have ended, or remember more of them.',
} as const;

export type RefusalCode = keyof typeof remedies;

/** Why a grant is not accepted, in words for whoever sent it. */
export interface GrantRefusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly message: string;
  readonly remedy: string;
}

export function refuse(code: RefusalCode, message: string): GrantRefusal {
  return { ok: false, code, message, remedy: remedies[code] };
}
