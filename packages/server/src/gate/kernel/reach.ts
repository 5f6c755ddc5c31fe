/** What the gate can reach outside, as far as its own operations need to know. */
export interface Reach {
  /** Whether the gate can send mail at all. */
  readonly mail: boolean;
  /**
   * Why nothing can ever be sent to this address, in a sentence for the person who set it. Undefined: it may be tried.
   */
  findTargetProblem(url: string): string | undefined;
  /** A fresh key pair for push services (VAPID, RFC 8292), base64url. */
  makePushKeys(): Promise<{ publicKey: string; privateKey: string }>;
}

/** For a gate that only the command line opens. */
export const NO_REACH: Reach = {
  mail: false,
  findTargetProblem: () => 'Nothing is sent from here.',
  async makePushKeys() {
    throw new Error('nothing is sent from here');
  },
};
