import type { Caller } from '../access/caller.ts';
import { notFound } from '../kernel/not-found.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { ToolDeps } from './tool-deps.ts';

/**
 * Finds the request for the credential that made it or presented its permit.
 *
 * @throws GateError `not_found` for any other caller too
 */
export async function getRequest(
  gate: Pick<ToolDeps, 'storage'>,
  caller: Caller,
  requestId: string,
): Promise<ConnectorRequest> {
  const request = await gate.storage.read.findConnectorRequest(requestId);
  const isTheirs = request?.credentialId === caller.credentialId || request?.ranBy === caller.credentialId;
  if (!request || !isTheirs) {
    throw notFound('connector request');
  }
  return request;
}
