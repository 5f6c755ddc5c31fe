/**
 * Why a server could not be reached, in the gate's own words. The message contains no text of the server and no
 * secrets.
 */
export class UpstreamError extends Error {
  /** Whether the server may have received the message. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, { mayHaveArrived }: { mayHaveArrived: boolean }) {
    super(message);
    this.name = 'UpstreamError';
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** Makes an error for a failure after something was sent. */
export function errorAfterSending(message: string): UpstreamError {
  return new UpstreamError(message, { mayHaveArrived: true });
}
