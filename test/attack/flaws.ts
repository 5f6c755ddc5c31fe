/** Gates that each break one promise, and the cases that must notice. */
import type { ProjectKeys } from '../../attack/keys-file.ts';
import type { Answered, Flaw, Passing } from './broken-gate.ts';

export interface BrokenPromise {
  name: string;
  caughtBy: readonly string[];
  flaw: Flaw;
}

/** The projects of a prepared gate: the attacked one, its neighbour, and one in test mode. */
export interface Victims {
  attacked: ProjectKeys;
  neighbour: ProjectKeys;
}

type Json = Record<string, unknown>;

function json({ body }: { body: Buffer }): Json {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

function withJson<T extends { body: Buffer }>(message: T, value: unknown): T {
  return { ...message, body: Buffer.from(JSON.stringify(value)) };
}

const keyOf = ({ headers }: Passing): string => headers.authorization?.replace('Bearer ', '') ?? '';
const isSignedIn = ({ headers }: Passing): boolean =>
  headers.cookie?.includes('__Host-permitry_session=') === true;
const as = (request: Passing, key: string | undefined): Passing => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${key}` },
});
const answering = (status: number, value: unknown): Answered => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

/** The answers of a gate that accepts everything. */
const YES = {
  id: 'int_01hzzzzzzzzzzzzzzzzzzzzzzz',
  status: 'approved',
  valid: true,
  bound: true,
  authorizes: true,
  consumed: true,
};

/** Accepts where the gate refuses for one of these reasons or codes. */
export function pardons(...reasons: string[]): Flaw {
  return async (request, gate) => {
    const answer = await gate(request);
    const { code = '', reason = code } = (json(answer).error ?? {}) as { code?: string; reason?: string };
    const matches = reasons.some((word) => word === reason || word === code.toLowerCase());
    return answer.status >= 400 && matches ? answering(200, YES) : answer;
  };
}

/** Accepts where the gate answers with one of these statuses. */
function pardonsStatus(...statuses: number[]): Flaw {
  return async (request, gate) => {
    const answer = await gate(request);
    return statuses.includes(answer.status) ? answering(201, YES) : answer;
  };
}

/** Reads answers and changes them. */
function edits(edit: (answer: Answered, request: Passing) => Answered): Flaw {
  return async (request, gate) => edit(await gate(request), request);
}

const CREATING = ['/api/intents', '/v1/intents'];
const isCreation = ({ method, path }: Passing): boolean => method === 'POST' && CREATING.includes(path);
const isVerification = ({ path }: Passing): boolean => /permit\/verify|permits\/validate/.test(path);

export function brokenPromises({ attacked, neighbour }: Victims): readonly BrokenPromise[] {
  const owner = attacked.people?.find(({ role }) => role === 'owner')?.token;
  /** A person who is not behind the agent. */
  const somebody = attacked.people?.find(({ role }) => role === 'approver')?.token;
  const believed = new Map<string, string>();
  const known = new Set<string>();
  return [
    {
      name: 'a forbidden request is repeated with the owner’s token',
      caughtBy: [
        'T01-agent-decides',
        'T01-agent-key',
        'T01-verifier-key',
        'T01-viewer',
        'T03-own-request',
        'T03-own-quorum',
        'T21-common-person',
      ],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        return answer.status === 403 ? gate(as(request, owner)) : answer;
      },
    },
    {
      name: 'a forbidden request is answered as if it had succeeded',
      caughtBy: [
        'T02b-others-part',
        'T08-outcome-once',
        'T10-two-projects',
        'T03-service-manages',
        'T03-higher-role',
        'T20-what-rules-rest-on',
        'T20-stops-only',
        'T21-places',
        'T23-batch',
      ],
      flaw: pardons('forbidden'),
    },
    {
      name: 'a request without a key counts as the owner’s',
      caughtBy: ['T01-no-key', 'T01-key-elsewhere', 'T14-cross-site'],
      flaw: (request, gate) => {
        const isSomebody = keyOf(request).startsWith('prm_') || isSignedIn(request);
        return gate(isSomebody ? request : as(request, owner));
      },
    },
    {
      name: 'an email address counts as the one it folds into',
      caughtBy: ['T24-folded-address'],
      flaw: (request, gate) => {
        const { email, ...rest } = json(request);
        const folds = request.path === '/console/sign-in' && typeof email === 'string';
        return gate(folds ? withJson(request, { ...rest, email: email.normalize('NFKC') }) : request);
      },
    },
    {
      name: 'any address is accepted as a push service',
      caughtBy: ['T15-webhooks'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        const isRefused = answer.status === 400 && request.path.endsWith('/push-subscriptions');
        return isRefused ? answering(201, { id: 'psh_01hzzzzzzzzzzzzzzzzzzzzzzz' }) : answer;
      },
    },
    {
      name: 'any address is accepted for a webhook',
      caughtBy: ['T15-webhook-targets'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        const isRefused = answer.status === 400 && /\/webhooks(\/whk_\w+)?$/.test(request.path);
        return isRefused ? answering(201, { id: 'whk_01hzzzzzzzzzzzzzzzzzzzzzzz' }) : answer;
      },
    },
    {
      name: 'a webhook’s secret is shown with it',
      caughtBy: ['T19-webhook-secret'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        if (!request.path.includes('/webhooks')) return answer;
        const { secret, id } = json(answer) as { secret?: string; id?: string };
        if (secret !== undefined && id !== undefined) believed.set(id, secret);
        const kept = believed.get(String(id));
        return kept === undefined ? answer : withJson(answer, { ...json(answer), secret: kept });
      },
    },
    {
      name: 'refusals are kept out of the log',
      caughtBy: ['T01-recorded'],
      flaw: edits((answer, { path }) =>
        path.includes('/audit?') ? withJson(answer, { data: [], next_cursor: null }) : answer,
      ),
    },
    {
      name: 'unknown members are dropped instead of refused',
      caughtBy: ['T02-named-in-body', 'T02-born-decided', 'T02-nobody', 'T22-named-friend', 'T22-narrowing'],
      flaw: (request, gate) => {
        const known_ = ['action', 'params', 'context', 'source_type', 'decision', 'expires_in'];
        const drop = isCreation(request) || /approve$|^\/api\/intents\/int_/.test(request.path);
        const kept = Object.entries(json(request)).filter(([name]) => known_.includes(name));
        return gate(drop && request.body.length > 0 ? withJson(request, Object.fromEntries(kept)) : request);
      },
    },
    {
      name: 'a proxy’s header names the approver',
      caughtBy: ['T02-named-in-headers'],
      flaw: async (request, gate) => {
        const [id = ''] = /int_\w+/.exec(request.path) ?? [];
        const name = request.headers['x-forwarded-user'];
        if (typeof name === 'string') believed.set(id, name);
        const answer = await gate(request);
        const resolver = believed.get(id);
        return resolver === undefined ? answer : withJson(answer, { ...json(answer), resolved_by: resolver });
      },
    },
    {
      name: 'an agent may act as every other agent',
      caughtBy: ['T02b-another-agent', 'T02b-stolen-permit'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        return answer.status === 404 ? gate(as(request, attacked.agent_key)) : answer;
      },
    },
    {
      name: 'anyone who reads an intent gets its permit',
      caughtBy: ['T02b-permit-shown', 'T19-answers'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        const reads = request.method === 'GET' && /^\/v1\/intents\/int_\w+$/.test(request.path);
        return reads && answer.status !== 401 ? gate(as(request, attacked.secret_key)) : answer;
      },
    },
    {
      name: 'the risk tier is the one that the requester asks for',
      caughtBy: ['T02c-risk-tier', 'T02c-posing'],
      flaw: edits((answer, request) => {
        const { risk_tier: asked } = json(request);
        return isCreation(request) && asked !== undefined
          ? withJson(answer, { ...json(answer), risk_tier: asked })
          : answer;
      }),
    },
    {
      name: 'a source may name any agent',
      caughtBy: ['T02c-source', 'T02c-held-agent'],
      flaw: (request, gate) => {
        const { source: _source, ...rest } = json(request);
        return gate(isCreation(request) && request.body.length > 0 ? withJson(request, rest) : request);
      },
    },
    {
      name: 'any policy is saved',
      caughtBy: ['T02c-mild-rules', 'T12-refused-at-save', 'T25-in-settings'],
      flaw: edits((answer, { method }) =>
        method === 'PUT' && answer.status === 400 ? answering(200, {}) : answer,
      ),
    },
    {
      name: 'votes are counted, not people',
      caughtBy: ['T04-votes-twice', 'T04-one-place'],
      flaw: pardons('already_voted'),
    },
    {
      name: 'a person may approve without naming what was shown',
      caughtBy: ['T23-no-hash'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        const approves = /\/approve$|^\/api\/intents\/int_|^\/console\/decisions$/.test(request.path);
        return approves && answer.status === 400 ? answering(200, YES) : answer;
      },
    },
    {
      name: 'late decisions count',
      caughtBy: [
        'T04-last-vote',
        'T04-turned-vote',
        'T04-denial-in-the-race',
        'T05-approve-deny',
        'T05-withdraw-approve',
      ],
      flaw: pardons('intent_already_resolved'),
    },
    {
      name: 'expired intents are approved',
      caughtBy: ['T05-approve-expire', 'T05-late-decision'],
      flaw: pardons('intent_expired'),
    },
    {
      name: 'a pause takes effect some time later',
      caughtBy: ['T05-pause-create', 'T09-agent-paused', 'T02c-held-agent'],
      flaw: pardons('agent_paused'),
    },
    {
      name: 'a revoked approval still holds',
      caughtBy: ['T05-revoke-use', 'T09-revoked'],
      flaw: pardons('revoked'),
    },
    {
      name: 'a permit is accepted with other parameters',
      caughtBy: ['T06-other-parameters'],
      flaw: pardons('params_mismatch'),
    },
    {
      name: 'a permit is accepted for another action',
      caughtBy: ['T06-other-action'],
      flaw: pardons('action_mismatch'),
    },
    {
      name: 'a proxy in front reads JSON leniently',
      caughtBy: ['T06-two-readings', 'T11-bombs', 'T25-lost-digits'],
      flaw: (request, gate) => {
        const value = json(request);
        return gate(
          request.body.length > 0 && Object.keys(value).length > 0 ? withJson(request, value) : request,
        );
      },
    },
    {
      name: 'no permit is ever accepted',
      caughtBy: ['T06-same-parameters'],
      flaw: edits((answer, request) =>
        isVerification(request) && answer.status === 200
          ? answering(400, { error: { code: 'permit_invalid', reason: 'params_mismatch' } })
          : answer,
      ),
    },
    {
      name: 'signatures are not checked',
      caughtBy: ['T07-forged'],
      flaw: pardons('tampered', 'unknown_key'),
    },
    {
      name: 'any signed token counts as a permit',
      caughtBy: ['T07-other-tokens'],
      flaw: pardons('not_a_permit'),
    },
    {
      name: 'a receipt authorises',
      caughtBy: ['T07-receipt'],
      flaw: edits((answer, request) =>
        isVerification(request) && answer.status === 200
          ? withJson(answer, { ...json(answer), authorizes: true })
          : answer,
      ),
    },
    {
      name: 'a second use gets the answer of the first',
      caughtBy: [
        'T07-twin',
        'T08-hundred-at-once',
        'T08-two-permits',
        'T08-run-and-verified',
        'T08b-lost-answer',
      ],
      flaw: pardons('already_used'),
    },
    {
      name: 'a use does not have to name its action and parameters',
      caughtBy: ['T08b-unbound-use'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        return isVerification(request) && answer.status === 400 ? answering(200, YES) : answer;
      },
    },
    {
      name: 'revoked agents are still accepted',
      caughtBy: ['T09-agent-revoked'],
      flaw: pardons('agent_revoked'),
    },
    {
      name: 'a revoked key is still accepted',
      caughtBy: ['T09-key-revoked'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        if (answer.status === 200) known.add(keyOf(request));
        return answer.status === 401 && known.has(keyOf(request))
          ? gate(as(request, attacked.verifier_key))
          : answer;
      },
    },
    {
      name: 'the emergency stop stops nothing',
      caughtBy: ['T08b-taken-back-since', 'T09-stopped'],
      flaw: pardons('project_stopped'),
    },
    {
      name: 'policy is evaluated only once',
      caughtBy: ['T09-policy', 'T09-allowed-once'],
      flaw: pardons('policy_changed'),
    },
    {
      name: 'permits of other projects are accepted',
      caughtBy: ['T09-other-mode', 'T09-other-project'],
      flaw: pardons('wrong_project'),
    },
    {
      name: 'all projects are one tenant',
      caughtBy: ['T10-operations', 'T10-in-bodies', 'T10-lists', 'T10-spellings'],
      flaw: (request, gate) => {
        const keys = [neighbour.secret_key, neighbour.agent_key, neighbour.verifier_key];
        const concerns = request.path.includes(attacked.project_id) || !request.path.includes('prj_');
        return gate(
          keys.includes(keyOf(request)) && concerns && request.path !== neighbour.project_id
            ? as(request, attacked.secret_key)
            : request,
        );
      },
    },
    {
      name: 'introspection checks only the form of a token',
      caughtBy: ['T09-introspection'],
      flaw: edits((answer, { path }) =>
        path.endsWith('/introspect') ? withJson(answer, { ...json(answer), active: true }) : answer,
      ),
    },
    { name: 'bodies of any size are accepted', caughtBy: ['T11-too-large'], flaw: pardonsStatus(413) },
    {
      name: 'bodies of any type are accepted',
      caughtBy: ['T11-media-types', 'T14-cross-site'],
      flaw: pardonsStatus(415),
    },
    {
      name: 'a proxy in front normalises paths',
      caughtBy: ['T11-paths'],
      flaw: (request, gate) =>
        gate({
          ...request,
          path: request.path
            .replaceAll(/\/+/g, '/')
            .replace(/(.)\/$/, '$1')
            .toLowerCase(),
        }),
    },
    {
      name: 'conditions that fail let requests pass',
      caughtBy: ['T12-fails-stricter', 'T12-costly'],
      flaw: pardons('policy_violation'),
    },
    {
      name: 'conditions that are too long are skipped',
      caughtBy: ['T12-heavy'],
      flaw: edits((answer, request) =>
        isCreation(request) && request.body.length > 50_000 && answer.status === 201
          ? withJson(answer, { ...json(answer), status: 'approved' })
          : answer,
      ),
    },
    {
      name: 'long texts are cut without a note',
      caughtBy: ['T13-params-whole', 'T13-decision-page'],
      flaw: edits((answer) => ({
        ...answer,
        body: Buffer.from(answer.body.toString().replace(/x{1000,}END/, 'xxx…')),
      })),
    },
    {
      name: 'approvers do not see that an identical request was just used',
      caughtBy: ['T27-twin'],
      flaw: edits((answer, { path }) =>
        path.startsWith('/console/intents/')
          ? withJson(answer, { ...json(answer), approved_lately: null })
          : answer,
      ),
    },
    {
      name: 'pages insert the path unescaped, without a content security policy',
      caughtBy: ['T13-page-inert', 'T14-framed'],
      flaw: edits((answer, { path }) => {
        if (!path.startsWith('/approve/')) return answer;
        const { 'content-security-policy': _policy, 'x-frame-options': _frame, ...headers } = answer.headers;
        return {
          ...answer,
          headers,
          body: Buffer.concat([answer.body, Buffer.from(decodeURIComponent(path))]),
        };
      }),
    },
    {
      name: 'a session counts for every page that uses it',
      caughtBy: ['T14-sessions'],
      flaw: (request, gate) => {
        const { origin: _origin, ...headers } = request.headers;
        return gate({ ...request, headers: { ...headers, 'sec-fetch-site': 'same-origin' } });
      },
    },
    {
      name: 'a cookie is enough to connect a program',
      caughtBy: ['T14-paired-programs'],
      flaw: async (request, gate) => {
        const answer = await gate(request);
        const isRefused = answer.status === 403 && request.path === '/console/pairings/confirm';
        return isRefused ? answering(200, { status: 'approved' }) : answer;
      },
    },
    {
      name: 'opening the link approves',
      caughtBy: ['T14-get-decides'],
      flaw: async (request, gate) => {
        const [, id] = /^\/approve\/(int_\w+)/.exec(request.path) ?? [];
        const approval = {
          method: 'POST',
          path: `/v1/intents/${id}/approve`,
          headers: {},
          body: Buffer.from(''),
        };
        if (id !== undefined) await gate(as(approval, somebody));
        return gate(request);
      },
    },
    {
      name: 'the answer to an invalid key says what is wrong with it',
      caughtBy: ['T16-same-words'],
      flaw: edits((answer, request) =>
        answer.status === 401 && !/^prm_\w+_\w{49}$/.test(keyOf(request))
          ? withJson(answer, { error: { ...(json(answer).error as Json), message: 'This is no key.' } })
          : answer,
      ),
    },
    {
      name: 'the log is altered on its way out',
      caughtBy: ['T18-chain'],
      flaw: edits((answer, { path }) => ({
        ...answer,
        body: path.includes('/audit?')
          ? Buffer.from(answer.body.toString().replace('first-agent', 'other-agent'))
          : answer.body,
      })),
    },
    {
      name: 'the log has no head, and can be written to',
      caughtBy: ['T18-tampered-copy', 'T18-no-writing'],
      flaw: edits((answer, { path }) =>
        path.endsWith('/audit/verify') && answer.status === 200
          ? withJson(answer, { ...json(answer), head: null })
          : answer,
      ),
    },
    {
      name: 'refusals repeat what was sent',
      caughtBy: ['T02b-permit-repeated', 'T19-misplaced', 'T19-answers'],
      flaw: edits((answer, { path, body, headers }) =>
        answer.status >= 400
          ? withJson(answer, { ...json(answer), sent: `${path} ${body} ${headers.authorization}` })
          : answer,
      ),
    },
    {
      name: 'no client has to wait',
      caughtBy: ['T16-runaway-agent', 'T16-guess-limit'],
      flaw: edits((answer, { path }) =>
        answer.status === 429
          ? answering(path === '/api/intents' ? 401 : 404, { error: { code: 'UNAUTHORIZED' } })
          : answer,
      ),
    },
  ];
}
