export interface ServerEvent {
  event: string;
  /** Undefined if the block had no ID. */
  id: string | undefined;
  /** The lines of its data. Empty if there were none. */
  data: string;
}

/** No event of a gate is longer. A server that sends no line end is not read forever. */
const LONGEST_BLOCK = 4 * 1024 * 1024;

/**
 * Server-sent events (WHATWG HTML §9.2) as they arrive, also those without data: their ID says how far the stream is.
 *
 * @throws Error when nothing arrives for `silenceMs`
 */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silenceMs);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
      text = blocks.pop() ?? '';
      if (text.length > LONGEST_BLOCK) throw new Error('An event in the stream is too long.');
      for (const block of blocks) yield toEvent(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function toEvent(block: string): ServerEvent {
  const event: ServerEvent = { event: 'message', id: undefined, data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'id') event.id = value;
    else if (name === 'event') event.event = value;
  }
  return { ...event, data: data.join('\n') };
}

async function withinSilence<T>(reading: Promise<T>, silenceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Event stream timed out.')), silenceMs);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
