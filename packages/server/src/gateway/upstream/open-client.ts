/** Connects the official MCP client to one server, without its features beyond the protocol. */
import {
  Client,
  type JsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { UpstreamServer, UpstreamSettings } from '../../gate/upstreams/upstream.ts';
import { MOST_TIMEOUT_SECONDS } from '../../gate/upstreams/upstream-settings.ts';
import { toInertLine } from '../../outgoing/inert-text.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { VERSION } from '../../runtime/version.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { hideSecrets, secretsOf } from './hide-secrets.ts';
import { StdioTransport } from './stdio-transport.ts';
import { errorAfterSending, type UpstreamError } from './upstream-error.ts';
import type { UpstreamPatience } from './upstream-patience.ts';

export interface ConnectionOptions {
  settings: UpstreamSettings;
  outgoing: Outgoing;
  /** The part of the gate's environment that a command gets: program path, home and language. */
  environment: Readonly<Record<string, string>>;
  patience: UpstreamPatience;
  onToolsChanged: () => void;
  /** Receives each line of the command's standard error, inert and without secrets. */
  onErrorLine: (line: string) => void;
}

interface ClientOptions extends ConnectionOptions {
  /** Whether the server is known to exit when it gets any request before `initialize`. */
  isLegacy: boolean;
  /** Aborts when the connection is no longer wanted. */
  signal: AbortSignal;
  onEnd: (client: Client, why: UpstreamError) => void;
  onCallStream: (call: string, end: () => void) => void;
  onCallStreamEnd: (call: string, error: UpstreamError | undefined) => void;
}

export interface OpenedClient {
  client: Client;
  server: UpstreamServer;
  stdio: StdioTransport | undefined;
}

/** The client resumes a stream that was cut, after a delay that the server may choose between these limits. */
const LEAST_RECONNECT_MS = 1000;
const MOST_RECONNECT_MS = 30_000;
const MOST_ERROR_LINE = 500;

/**
 * Otherwise the client would compile schemas of strangers. The gate has already checked the arguments, and it never
 * trusts results.
 */
const NO_VALIDATION = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** @throws UpstreamError, or an error of the client */
export async function openClient(options: ClientOptions): Promise<OpenedClient> {
  const { settings, patience, onToolsChanged } = options;
  const client = new Client(
    { name: 'permitry', version: VERSION },
    {
      // The client offers no sampling, elicitation or roots. A server that requests them anyway is refused.
      capabilities: {},
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: patience.probeMs } },
      jsonSchemaValidator: NO_VALIDATION,
      listChanged: { tools: { autoRefresh: false, debounceMs: 200, onChanged: onToolsChanged } },
    },
  );
  const stdio = settings.kind === 'stdio' ? stdioTransport(settings, options) : undefined;
  const transport = settings.kind === 'http' ? httpTransport(settings, options) : stdio;
  if (!transport) throw errorAfterSending('It cannot be reached.');
  // Malformed messages are the server's own problem; an answer that never arrives ends in a timeout.
  client.onerror = () => {};
  client.onclose = () => options.onEnd(client, stdio?.failure ?? errorAfterSending('The connection ended.'));
  try {
    const connected = client.connect(transport, {
      timeout: patience.connectMs,
      ...(options.isLegacy ? { prior: { kind: 'legacy' } } : {}),
    });
    await within(connected, patience.connectMs, options.signal);
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw stdio?.failure && stdio.failure.message !== 'The connection was closed.' ? stdio.failure : error;
  }
  const secrets = secretsOf(settings);
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  const server = {
    name: toInertLine(hideSecrets(name, secrets), 100),
    version: toInertLine(hideSecrets(version, secrets), 50),
    protocol: toInertLine(client.getNegotiatedProtocolVersion() ?? '', 20),
  };
  return { client, server, stdio };
}

function httpTransport(
  { url, headers }: Extract<UpstreamSettings, { kind: 'http' }>,
  { outgoing, patience, onCallStream, onCallStreamEnd }: ClientOptions,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: boundedFetch({
      outgoing,
      url,
      headers,
      mostAnswerBytes: patience.mostAnswerBytes,
      // Each call has its own timeout; this one is for requests that are never answered.
      mostRequestMs: MOST_TIMEOUT_SECONDS * 1000 + 5000,
      onCallStream,
      onCallStreamEnd,
    }),
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      initialReconnectionDelay: LEAST_RECONNECT_MS,
      maxReconnectionDelay: MOST_RECONNECT_MS,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
    reconnectionScheduler: (reconnect, delay) => {
      const wait = Math.min(Math.max(delay, LEAST_RECONNECT_MS), MOST_RECONNECT_MS);
      const timer = setTimeout(reconnect, wait).unref();
      return () => clearTimeout(timer);
    },
  });
}

function stdioTransport(
  { command, args, env, cwd }: Extract<UpstreamSettings, { kind: 'stdio' }>,
  { environment, patience, onErrorLine }: ClientOptions,
): StdioTransport {
  return new StdioTransport({
    command,
    args,
    env: { ...environment, ...env },
    cwd,
    mostLineBytes: patience.mostAnswerBytes,
    onErrorLine: (line) => onErrorLine(toInertLine(hideSecrets(line, Object.values(env)), MOST_ERROR_LINE)),
  });
}

function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(errorAfterSending('It did not answer in time.')), ms);
  const abort = () => late.reject(errorAfterSending('The connection was closed.'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, late.promise]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}
