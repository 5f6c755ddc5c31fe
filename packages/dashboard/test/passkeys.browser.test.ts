/** Passkeys through a real browser's WebAuthn, on a page of a real gate. */
import {
  type ApproverKeyFile,
  type IntentHashInput,
  type ReceiptContent,
  readApproverKeys,
  verifyApprovalEvidence,
} from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asShown } from '../../server/test/fixtures/as-shown.ts';
import { type Authenticator, addAuthenticator } from './fixtures/add-authenticator.ts';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './fixtures/open-browser.ts';
import { type BrowserPerson, type ServedGate, serveGate } from './fixtures/serve-gate.ts';

interface Answer<T> {
  status: number;
  body: T;
}
interface Ceremony {
  ticket: string;
  options: object;
}

let browser: OpenedBrowser;
let served: ServedGate;
let ann: BrowserPerson;
let page: OpenedPage;
let device: Authenticator;

beforeAll(async () => {
  browser = await openBrowser();
  served = await serveGate({ mode: 'live' });
  ann = await served.addPerson('ann@example.org', 'approver');
  page = await browser.open(served, ann, '/account');
  device = await addAuthenticator(page);
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
});

/** A request as the page's own scripts send it: with the cookie, from its origin. */
function ask<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  return page.evaluate(
    async ([how, where, what]) => {
      const response = await fetch(where, {
        method: how,
        ...(what === undefined ? {} : { body: what, headers: { 'content-type': 'application/json' } }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
    },
    [method, path, body && JSON.stringify(body)] as const,
  ) as Promise<Answer<T>>;
}

/** The result of the browser's WebAuthn for these options, or the name of its error. */
function webAuthn(what: 'create' | 'get', options: object): Promise<object | string> {
  return page.evaluate(
    async ([call, json]) => {
      const { PublicKeyCredential: credentials, navigator: own } = globalThis as unknown as {
        PublicKeyCredential: Record<string, (json: object) => object>;
        navigator: { credentials: Record<string, (options: object) => Promise<{ toJSON(): object }>> };
      };
      const parse = call === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';
      try {
        const publicKey = credentials[parse]?.(json) ?? {};
        return (await own.credentials[call]?.({ publicKey }))?.toJSON() ?? 'nothing';
      } catch (error) {
        return (error as Error).name;
      }
    },
    [what, options] as const,
  );
}

async function addPasskey(): Promise<void> {
  const { body } = await ask<Ceremony>('POST', '/console/account/passkeys/options', {});
  const response = await webAuthn('create', body.options);
  const { status } = await ask('POST', '/console/account/passkeys', {
    ticket: body.ticket,
    response,
    name: 'Phone',
  });
  expect(status).toBe(201);
}

interface Proof {
  proof_session: { id: string; options: object; status: string };
}

const startProof = (intentId: string) =>
  ask<Proof>('POST', '/api/verify/proof', { intent_id: intentId, decision: 'approve', method: 'passkey' });

test('a passkey can be added and used to approve, and its owner’s key file proves the approval', async () => {
  await addPasskey();
  const id = await served.ask('payments.refund', { amount: 120, to: 'Zoë' }, { proof_tier: 'passkey' });
  const started = await startProof(id);
  const { id: proof_session_id, options } = started.body.proof_session;
  const signals = await webAuthn('get', options);
  const submitted = await ask<Proof>('POST', '/api/verify/proof', { proof_session_id, signals });
  expect(submitted.body.proof_session).toMatchObject({ status: 'completed', proof_tier: 'passkey' });
  const decided = await ask('PATCH', `/api/intents/${id}`, {
    decision: 'approve',
    proof_session_id,
    ...(await asShown(served.gate, id)),
  });
  expect(decided.body).toMatchObject({ status: 'approved' });

  const { body: shown } = await ask<{
    hashed: Omit<IntentHashInput, 'params'>;
    canonical_params: string;
    receipt: ReceiptContent;
  }>('GET', `/console/intents/${id}`);
  const { body: keyFile } = await ask<ApproverKeyFile>('GET', '/console/account/passkeys/export');
  const intent = { ...shown.hashed, params: JSON.parse(shown.canonical_params) };
  const approverKeys = readApproverKeys([keyFile]);
  expect(await verifyApprovalEvidence(shown.receipt, { approverKeys, intent })).toMatchObject({
    ok: true,
    approvals: [{ by: 'ann@example.org', method: 'passkey', signed: true }],
  });
});

describe('without user verification', () => {
  test('the browser signs nothing, and nothing is approved', async () => {
    const { session, authenticatorId } = device;
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    const id = await served.ask('payments.refund', { amount: 1 }, { proof_tier: 'passkey' });
    const { options } = (await startProof(id)).body.proof_session;
    expect(await webAuthn('get', options)).toBe('NotAllowedError');
    const body = { decision: 'approve', ...(await asShown(served.gate, id)) };
    expect((await ask('PATCH', `/api/intents/${id}`, body)).status).toBe(403);
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  });
});

test('the same device is not added twice', async () => {
  const { body } = await ask<Ceremony>('POST', '/console/account/passkeys/options', {});
  expect(await webAuthn('create', body.options)).toBe('InvalidStateError');
});

test('a passkey signs in its owner without an email address', async () => {
  await ask('POST', '/console/sign-out', {});
  expect((await ask('GET', '/console/session')).body).toMatchObject({ signed_in: false });
  const { body } = await ask<Ceremony>('POST', '/console/sign-in/passkey/options', {});
  const response = await webAuthn('get', body.options);
  const answer = await ask('POST', '/console/sign-in/passkey', { ticket: body.ticket, response });
  expect(answer.body).toEqual({ status: 'signed_in' });
  expect((await ask('GET', '/console/session')).body).toMatchObject({
    signed_in: true,
    user: { email: 'ann@example.org' },
    methods: ['passkey'],
  });
});
