import type { JsonObject } from '@permitry/protocol';
import type { Tool } from '../../gate/tools/connectors.ts';

/** One tool of a mock connector: its definition and its answers. */
export interface MockTool {
  tool: Tool;
  /**
   * Returns the answer that the real tool would give, and changes nothing. The connector's records show which calls
   * were made.
   *
   * @param id The ID of the intent.
   */
  perform(given: JsonObject, id: string): { result: JsonObject } | { refusal: string };
}

/** Every refund of this charge fails, to show what a failure looks like. */
const DECLINED_CHARGE = 'ch_declined';

/** One tool for each connector, in the order of their names. */
export const MOCK_TOOLS: readonly MockTool[] = [
  mockTool(
    {
      name: 'database.delete_rows',
      title: 'Delete rows of a table',
      description: 'Deletes rows by their ids. A mock: there is no such table.',
      riskTier: 'critical',
      inputSchema: argumentsOf(
        {
          table: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,62}$' },
          ids: {
            type: 'array',
            items: { type: 'string', minLength: 1, maxLength: 100 },
            minItems: 1,
            maxItems: 1000,
          },
        },
        ['table', 'ids'],
      ),
    },
    ({ table = null, ids }) => ({ result: { table, deleted: Array.isArray(ids) ? ids.length : 0 } }),
  ),
  mockTool(
    {
      name: 'deploy.production',
      title: 'Deploy to production',
      description: 'Puts a version of a service into production. A mock: nothing is deployed.',
      riskTier: 'high',
      inputSchema: argumentsOf(
        {
          service: { type: 'string', minLength: 1, maxLength: 100 },
          version: { type: 'string', minLength: 1, maxLength: 100 },
        },
        ['service', 'version'],
      ),
    },
    ({ service = null, version = null }, id) => ({
      result: { deployment_id: `dep_${id}`, service, version, status: 'live' },
    }),
  ),
  mockTool(
    {
      name: 'files.delete',
      title: 'Delete a file',
      description: 'Deletes a file, or a folder with all that is in it. A mock: no file is touched.',
      riskTier: 'medium',
      inputSchema: argumentsOf(
        {
          path: { type: 'string', minLength: 1, maxLength: 1000 },
          recursive: { type: 'boolean', description: 'Whether a folder is deleted with all that is in it.' },
        },
        ['path'],
      ),
    },
    ({ path = null, recursive = false }) => ({ result: { path, recursive, deleted: true } }),
  ),
  mockTool(
    {
      name: 'iam.grant_role',
      title: 'Grant a role',
      description: 'Gives a person or a service a role. A mock: nobody gets anything.',
      riskTier: 'critical',
      inputSchema: argumentsOf(
        {
          subject: { type: 'string', minLength: 1, maxLength: 254, description: 'Who is given the role.' },
          role: { type: 'string', minLength: 1, maxLength: 100 },
          resource: { type: 'string', minLength: 1, maxLength: 200 },
        },
        ['subject', 'role'],
      ),
    },
    ({ subject = null, role = null, resource = null }) => ({
      result: { subject, role, resource, granted: true },
    }),
  ),
  mockTool(
    {
      name: 'mail.send',
      title: 'Send a mail',
      description: 'Sends a mail. A mock: it is kept where one can look at it, and goes nowhere.',
      riskTier: 'low',
      inputSchema: argumentsOf(
        {
          to: { type: 'string', minLength: 3, maxLength: 254, description: 'Address of the recipient.' },
          subject: { type: 'string', minLength: 1, maxLength: 200 },
          text: { type: 'string', maxLength: 50_000 },
        },
        ['to', 'subject', 'text'],
      ),
    },
    ({ to = null }, id) => ({ result: { message_id: `<${id}@mail.mock>`, accepted: [to] } }),
  ),
  mockTool(
    {
      name: 'payments.refund',
      title: 'Refund a payment',
      description: `Refunds a charge, all of it or a part. A mock: no money moves. The charge ${DECLINED_CHARGE} is always declined.`,
      riskTier: 'high',
      inputSchema: argumentsOf(
        {
          charge: { type: 'string', minLength: 1, maxLength: 100, description: 'Id of the charge.' },
          amount: { type: 'number', exclusiveMinimum: 0, description: 'In the currency’s unit.' },
          currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217.' },
          reason: { type: 'string', maxLength: 500 },
        },
        ['charge', 'amount', 'currency'],
      ),
    },
    ({ charge = null, amount = null, currency = null }, id) =>
      charge === DECLINED_CHARGE
        ? { refusal: 'The charge was declined by the bank; nothing was refunded.' }
        : { result: { refund_id: `re_${id}`, charge, amount, currency, status: 'refunded' } },
  ),
];

/** Adds the fields that all mock tools have in common. */
function mockTool(
  tool: Omit<Tool, 'connector' | 'outputSchema' | 'resultForm' | 'annotations'>,
  perform: MockTool['perform'],
): MockTool {
  const [connector = ''] = tool.name.split('.');
  return {
    tool: {
      ...tool,
      connector,
      outputSchema: null,
      annotations: {
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
        readOnlyHint: false,
      },
      resultForm: 'json',
    },
    perform,
  };
}

/** A schema that accepts these arguments and no others. */
function argumentsOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}
