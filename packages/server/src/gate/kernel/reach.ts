/** What the gate can reach outside, as far as the operations in this folder need to know. */
export interface Reach {
  /** Whether the gate can send mail at all. */
  readonly mail: boolean;
  /**
   * Why no message can ever reach this address, in a sentence for the person who set it. Undefined: no reason is known.
   */
  findTargetProblem(url: string): string | undefined;
  /** A fresh key pair for push services (VAPID, RFC 8292), base64url. */
  makePushKeys(): Promise<{ publicKey: string; privateKey: string }>;
}

/** The reach of a gate that serves nobody and runs for the command line only. */
export const NO_REACH: Reach = {
  mail: false,
  findTargetProblem: () => 'Nothing is sent from here.',
  async makePushKeys() {
    throw new Error('nothing is sent from here');
  },
};
