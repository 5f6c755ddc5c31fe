/**
 * Sits between an MCP client and a server. Every message passes unchanged, except tool calls, which go through the gate
 * first. It remembers calls only as long as the connection lasts.
 */
import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import { type Answer, type Id, isAnswer, isModern, isNotification, isRequest, objectIn } from './messages.ts';
import { findTaskTools, isOwnTool, withOwnTools, withoutTasks } from './own-tools.ts';
import { refusedResult } from './results.ts';
import { type Lines, OWN_STATE, SERVER_ENDED, ToolCalls, type ToolCallsOptions } from './tool-calls.ts';

const ONLY_AS_TASK = 'it can only be called as an MCP task, which permitry mcp wrap does not support yet';
/** If a list has more pages, we assume that it never ends. */
const MOST_PAGES = 100;
/** If a server does not answer in time, the call continues without the list. */
const LIST_WITHIN_MS = 30_000;

export class Wrapper {
  readonly #client: Transport;
  readonly #server: Transport;
  readonly #calls: ToolCalls;
  /** Calls that the server is running, with the function that takes the answer. */
  readonly #running = new Map<Id, (answer: Answer | null) => void>();
  readonly #waiting = new Map<Id, AbortController>();
  readonly #lists = new Set<Id>();
  readonly #beginnings = new Set<Id>();
  /** Tools in the server's latest list that clients are not offered. */
  #taskTools = new Set<string>();
  readonly #reportedTools = new Set<string>();
  /** Settles when the server has listed its tools. */
  #listed: Promise<void> | undefined;
  readonly #onNotOffered: (tool: string, why: string) => void;
  readonly #under = new Set<Promise<void>>();
  #capabilities: JsonObject = {};
  #asked = 0;
  #hasEnded = false;

  /** @param onNotOffered Called once for each tool of the server that clients do not see. */
  constructor(
    client: Transport,
    server: Transport,
    { onNotOffered, ...options }: ToolCallsOptions & { onNotOffered: (tool: string, why: string) => void },
  ) {
    this.#onNotOffered = onNotOffered;
    this.#client = client;
    this.#server = server;
    this.#calls = new ToolCalls(this.#linesFor(), options);
    client.onmessage = (message) => this.#fromClient(message);
    server.onmessage = (message) => this.#fromServer(message);
  }

  /** The server is gone: the calls it was running may or may not have happened. Resolves when that is reported. */
  async serverEnded(): Promise<void> {
    this.#hasEnded = true;
    for (const settle of [...this.#running.values()]) settle(null);
    for (const waiting of this.#waiting.values()) waiting.abort();
    await this.#calls.giveUpInterrupted();
    await Promise.allSettled(this.#under);
  }

  #linesFor(): Lines {
    return {
      capabilities: () => this.#capabilities,
      hasEnded: () => this.#hasEnded,
      notify: (method, params) => this.#toClient({ jsonrpc: '2.0', method, params } as JSONRPCMessage),
      askToOpen: (params) => this.#askToOpen(params),
      atServer: (request) => this.#atServer(request),
    };
  }

  #fromClient(message: JSONRPCMessage): void {
    if (isRequest(message)) {
      if (message.method === 'tools/call') {
        this.#take(message);
        return;
      }
      if (message.method === 'tools/list') this.#lists.add(message.id);
      if (message.method === 'initialize') {
        this.#beginnings.add(message.id);
        this.#capabilities = objectIn(message.params, 'capabilities');
      }
    } else if (isNotification(message)) {
      const id = objectIn(message, 'params').requestId;
      if (message.method === 'notifications/cancelled' && this.#cancel(id)) return;
    } else if (isAnswer(message) && String(message.id).startsWith(OWN_STATE)) {
      // An answer to whether the user opens the page. Only the decision counts.
      return;
    }
    this.#toServer(message);
  }

  #fromServer(message: JSONRPCMessage): void {
    const settle = isAnswer(message) ? this.#running.get(message.id) : undefined;
    if (isAnswer(message) && settle) settle(message);
    else if (isAnswer(message) && this.#lists.delete(message.id)) {
      for (const name of findTaskTools(message)) this.#leaveOut(name);
      this.#toClient(withOwnTools(message));
    } else if (isAnswer(message) && this.#beginnings.delete(message.id))
      this.#toClient(withoutTasks(message));
    else {
      if (isNotification(message) && message.method === 'notifications/tools/list_changed') {
        this.#listed = undefined;
        this.#taskTools = new Set();
      }
      this.#toClient(message);
    }
  }

  #leaveOut(tool: string): void {
    this.#taskTools.add(tool);
    if (this.#reportedTools.has(tool)) return;
    this.#reportedTools.add(tool);
    this.#onNotOffered(tool, ONLY_AS_TASK);
  }

  /** False for a call that the server is running: the cancellation goes to the server. */
  #cancel(id: unknown): boolean {
    if ((typeof id !== 'string' && typeof id !== 'number') || this.#running.has(id)) return false;
    const waiting = this.#waiting.get(id);
    waiting?.abort();
    return waiting !== undefined;
  }

  #take(request: JSONRPCRequest): void {
    const waiting = new AbortController();
    this.#waiting.set(request.id, waiting);
    const answered = this.#answer(request, waiting.signal)
      .catch((error) => refusedResult(error))
      .then((result) => {
        if (result) this.#reply(request, result);
      })
      .finally(() => {
        this.#under.delete(answered);
        if (this.#waiting.get(request.id) === waiting) this.#waiting.delete(request.id);
      });
    this.#under.add(answered);
  }

  async #answer(request: JSONRPCRequest, cancelled: AbortSignal): Promise<JsonObject | undefined> {
    const { name } = request.params ?? {};
    if (typeof name === 'string' && !isOwnTool(name)) {
      this.#listed ??= this.#listTools(request);
      await this.#listed;
      if (this.#hasEnded) throw new Error(SERVER_ENDED);
      if (cancelled.aborted) return undefined;
      if (this.#taskTools.has(name)) return refusedResult(new Error(ONLY_AS_TASK), 'tool_not_offered');
    }
    return this.#calls.answer(request, cancelled);
  }

  /** A client may call a tool that it has not listed, and only the list says which tools require a task. */
  async #listTools({ params: asked }: JSONRPCRequest): Promise<void> {
    const { progressToken: _, ...meta } = objectIn(asked, '_meta');
    let next: JsonObject = {};
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const id = this.#ownId();
      const params = { _meta: meta, ...next };
      const late = setTimeout(() => this.#running.get(id)?.(null), LIST_WITHIN_MS);
      const answer = await this.#atServer({ jsonrpc: '2.0', id, method: 'tools/list', params });
      clearTimeout(late);
      if (!answer?.result) {
        this.#listed = undefined;
        return;
      }
      for (const name of findTaskTools(answer)) this.#leaveOut(name);
      const { nextCursor: cursor } = answer.result;
      if (cursor === undefined) return;
      next = { cursor };
    }
  }

  #ownId(): string {
    this.#asked += 1;
    return `${OWN_STATE}${this.#asked}`;
  }

  #askToOpen(params: JsonObject): void {
    this.#toClient({ jsonrpc: '2.0', id: this.#ownId(), method: 'elicitation/create', params });
  }

  /** Null: the server ended before it answered. */
  #atServer(request: JSONRPCRequest): Promise<Answer | null> {
    if (this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#running.set(request.id, (answer) => {
        this.#running.delete(request.id);
        resolve(answer);
      });
      this.#toServer(request);
    });
  }

  #reply(request: JSONRPCRequest, result: JsonObject): void {
    const complete = isModern(request) ? { resultType: 'complete', ...result } : result;
    this.#toClient({ jsonrpc: '2.0', id: request.id, result: complete } as JSONRPCMessage);
  }

  #toClient(message: JSONRPCMessage): void {
    this.#client.send(message).catch(() => {});
  }

  #toServer(message: JSONRPCMessage): void {
    this.#server.send(message).catch(() => {});
  }
}
