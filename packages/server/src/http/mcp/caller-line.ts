import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import type { CallerLine } from '../../gate/tools/connectors.ts';
import type { Exchange } from './exchange.ts';
import type { ClientSkill } from './session.ts';

/** Adds the notifications that only MCP sends. */
export interface ClientLine extends CallerLine {
  notify(method: string, params: JsonObject): Promise<void>;
}

/** Opens the line to the client of this call. A 2026-07-28 client gets questions as part of an answer instead. */
export function openLine(exchange: Exchange, server: Server, { mcpReq }: ServerContext): ClientLine {
  const { gate, session, answers, cancelled, logLevels } = exchange;
  const progressToken = mcpReq._meta?.progressToken;
  return {
    progress({ progress, total, message }) {
      if (progressToken === undefined || cancelled.aborted) return;
      const progressParams = {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      mcpReq.notify({ method: 'notifications/progress', params: progressParams }).catch(() => {});
    },

    log({ level, data }) {
      if (!session || cancelled.aborted || !logLevels.wants(session.id, level)) return;
      this.notify('notifications/message', { level, logger: 'permitry', data }).catch(() => {});
    },

    async notify(method, params) {
      // Bypasses the SDK, which knows no capabilities in an exchange without `initialize`.
      await server.transport?.send({ jsonrpc: '2.0', method, params }, { relatedRequestId: mcpReq.id });
    },

    async ask(method, params) {
      if (!session?.skills.includes(skillFor(method, params.mode))) return undefined;
      const id = gate.ids.next('req');
      const answer = answers.expect(session.id, id, AbortSignal.any([cancelled, mcpReq.signal]));
      const question = { jsonrpc: '2.0' as const, id, method, params };
      await server.transport?.send(question, { relatedRequestId: mcpReq.id });
      return answer;
    },
  };
}

function skillFor(method: string, mode: unknown): ClientSkill {
  if (method === 'sampling/createMessage') return 'sampling';
  return mode === 'url' ? 'url' : 'form';
}
