/** A reader of server-sent events, written from WHATWG HTML §9.2 with the platform's fetch alone. */

export interface Message {
  type: string;
  data: string;
  lastEventId: string;
}

export interface EventSourceOptions {
  /** Undefined: the headers hold the credential. */
  key?: string;
  headers?: Record<string, string>;
  /** The next URL by number of the attempt. Default: the same URL. */
  next?: (attempt: number) => string;
  /** False: the reader ends with its first connection. */
  reconnect?: boolean;
}

/** Reconnects with the last ID until the reader is closed or refused, or an `end` message is final. */
export class EventSource {
  readonly messages: Message[] = [];
  /** Everything received, including comments. */
  text = '';
  /** Status of each connection. */
  readonly statuses: number[] = [];
  lastEventId = '';
  retryMs = 3000;
  over = false;
  readonly #options: EventSourceOptions;
  readonly #aborting = new AbortController();
  #heard: () => void = () => {};

  constructor(url: string, options: EventSourceOptions) {
    this.#options = options;
    void this.#run(url);
  }

  get records(): { seq: number; type: string; intent_id: string | null }[] {
    return this.messages.filter(({ type }) => type === 'message').map(({ data }) => JSON.parse(data));
  }

  get seqs(): number[] {
    return this.records.map(({ seq }) => seq);
  }

  /** Reasons of the `end` messages. */
  get reasons(): string[] {
    return this.messages.filter(({ type }) => type === 'end').map(({ data }) => JSON.parse(data).reason);
  }

  async until(isSo: (source: EventSource) => boolean): Promise<void> {
    while (!isSo(this)) {
      if (this.over) throw new Error(`the stream is over (${this.statuses}):\n${this.text}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async untilOver(): Promise<void> {
    while (!this.over) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  close(): void {
    this.#aborting.abort();
  }

  async #run(url: string): Promise<void> {
    const { next, reconnect = true } = this.#options;
    for (let attempt = 0; !this.#aborting.signal.aborted; attempt += 1) {
      const goesOn = await this.#connect(attempt > 0 && next ? next(attempt) : url).catch(() => true);
      if (!reconnect || !goesOn) break;
      await new Promise((resolve) => setTimeout(resolve, this.retryMs));
    }
    this.over = true;
    this.#heard();
  }

  /** Returns whether to connect again. */
  async #connect(url: string): Promise<boolean> {
    const response = await fetch(url, {
      headers: {
        accept: 'text/event-stream',
        ...(this.#options.key === undefined ? {} : { authorization: `Bearer ${this.#options.key}` }),
        ...this.#options.headers,
        ...(this.lastEventId === '' ? {} : { 'last-event-id': this.lastEventId }),
      },
      signal: this.#aborting.signal,
    });
    this.statuses.push(response.status);
    const type = response.headers.get('content-type') ?? '';
    if (response.status !== 200 || !type.startsWith('text/event-stream')) {
      this.text += await response.text();
      return false;
    }
    let rest = '';
    let block: string[] = [];
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const piece = decoder.decode(bytes, { stream: true });
      this.text += piece;
      const lines = (rest + piece).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '') block.push(line);
        else {
          this.#dispatch(block);
          block = [];
        }
      }
      this.#heard();
    }
    const last = this.reasons.at(-1);
    return last !== 'credential' && last !== 'caught_up';
  }

  #dispatch(lines: readonly string[]): void {
    let [type, data] = ['', ''];
    for (const line of lines) {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (field === 'event') type = value;
      if (field === 'data') data += `${value}\n`;
      if (field === 'id') this.lastEventId = value;
      if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    }
    if (data === '') return;
    this.messages.push({
      type: type || 'message',
      data: data.slice(0, -1),
      lastEventId: this.lastEventId,
    });
  }
}
