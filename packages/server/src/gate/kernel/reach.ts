/** What of the world outside the gate can reach, as far as its own operations have to know. */
export interface Reach {
  /** Whether mail can be sent at all. */
  readonly mail: boolean;
  /** Why nothing can ever be sent to this address, in a sentence for whoever set it; undefined: it may be tried. */
  findTargetProblem(url: string): string | undefined;
  /** A fresh key pair for push services (VAPID, RFC 8292), base64url. */
  makePushKeys(): Promise<{ publicKey: string; privateKey: string }>;
}

/** Of a gate that only the command line opens. */
export const NO_REACH: Reach = {
  mail: false,
  findTargetProblem: () => 'Nothing is sent from here.',
  async makePushKeys() {
    throw new Error('nothing is sent from here');
  },
};
