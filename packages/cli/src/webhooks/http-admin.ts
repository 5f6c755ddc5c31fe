import type { Permitry } from '@permitry/sdk';
import { CommandFailure } from '../command-failure.ts';
import { openClient } from '../profile/open-client.ts';
import { chooseProjects, readMe } from '../profile/read-me.ts';
import type { Delivery, Replayed, Webhook, WebhookAdmin, WebhookFlags } from './webhook-admin.ts';

interface Page<T> {
  data: T[];
}

/** As whoever is signed in there, or as the key in PERMITRY_KEY. */
export async function openHttpAdmin(flags: WebhookFlags): Promise<WebhookAdmin> {
  const client = openClient(flags);
  const [projectId, ...others] = chooseProjects(await readMe(client), flags.project);
  if (projectId === undefined || others.length > 0)
    throw new CommandFailure(2, 'You are in more than one project there; name it with --project.');
  return adminOf(client, `/v1/projects/${encodeURIComponent(projectId)}/webhooks`);
}

function adminOf(client: Permitry, base: string): WebhookAdmin {
  const at = (webhookId: string, rest = '') => `${base}/${encodeURIComponent(webhookId)}${rest}`;
  return {
    // A project has twenty at most.
    list: async () => (await client.request<Page<Webhook>>('GET', base)).data,
    add: (webhook) => client.request<Webhook & { secret: string }>('POST', base, { body: webhook }),
    test: (id) => client.request<Delivery>('POST', at(id, '/test'), { body: {} }),
    deliveries: async (id, query) =>
      (await client.request<Page<Delivery>>('GET', at(id, '/deliveries'), { query })).data,
    replay: (id, range) => client.request<Replayed>('POST', at(id, '/replay'), { body: range }),
    replayDelivery: (id, deliveryId) =>
      client.request<Delivery>('POST', at(id, `/deliveries/${encodeURIComponent(deliveryId)}/replay`), {
        body: {},
      }),
    rotate: (id, seconds) =>
      client.request<Webhook & { secret: string }>('POST', at(id, '/rotate-secret'), {
        body: seconds === undefined ? {} : { overlap_seconds: seconds },
      }),
    async remove(id) {
      await client.request('DELETE', at(id));
    },
  };
}
