/** Reads server-sent events (WHATWG HTML §9.2.6) from a response body. */
export interface StreamMessage {
  event: string;
  data: string;
  /** The stream's last event ID, for reconnecting. */
  lastId: string | undefined;
}

/**
 * @param onAnything Called for everything that arrives, including comments: the connection is alive.
 */
export async function readEventStream(
  body: ReadableStream<Uint8Array>,
  onMessage: (message: StreamMessage) => void,
  onAnything: () => void,
): Promise<void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  let lastId: string | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onAnything();
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = fieldsOf(block);
      lastId = fields.get('id') ?? lastId;
      const data = fields.get('data');
      if (data !== undefined) onMessage({ event: fields.get('event') ?? 'message', data, lastId });
    }
  }
}

function fieldsOf(block: string): Map<string, string> {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
}
