/** Why a server could not be talked to, in words of ours: nothing in them is the server's, or a secret. */
export class UpstreamError extends Error {
  /** Whether the server may have got the message. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, { mayHaveArrived }: { mayHaveArrived: boolean }) {
    super(message);
    this.name = 'UpstreamError';
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** After something was sent. */
export function errorAfterSending(message: string): UpstreamError {
  return new UpstreamError(message, { mayHaveArrived: true });
}
