/** A project's chat, through an incoming webhook like Slack's. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import {
  type ChatHookSettings,
  putChatHook,
  removeChatHook,
  testChatHook,
} from '../../src/gate/notifications/chat-hook.ts';
import type { ChatMessage } from '../../src/outgoing/chat/chat-message.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type NotifiedGate, openNotifications } from './open-notifications.ts';

const SECRET_PATH = '/services/T000/B000/s3cretTOKEN';

let t: NotifiedGate;

beforeEach(async () => {
  t = await openNotifications({ smtpUrl: null });
});
afterEach(() => t.close());

const put = (settings: Partial<ChatHookSettings> = {}) =>
  putChatHook(t.gate, OPERATOR, {
    projectId: t.projectId,
    url: `${t.posts.url}${SECRET_PATH}`,
    kinds: ['waiting', 'reminder', 'decided', 'revoked'],
    minimumRiskTier: 'low',
    ...settings,
  });
const messages = async (): Promise<ChatMessage[]> => {
  await t.tell();
  return t.posts.received.splice(0).map(({ body }) => JSON.parse(body.toString()));
};
const hook = () => t.gate.storage.read.findChatHook(t.projectId);

describe('a chat message', () => {
  test('says who requests which action, and links to the request', async () => {
    await put();
    const id = await t.ask('payments.refund', { riskTier: 'critical' });
    const [message, ...others] = await messages();
    expect(others).toEqual([]);
    expect(message?.attachments).toMatchObject([
      {
        title: 'Review request',
        title_link: `http://localhost:4000/approve/${id}`,
        text: '`first-agent asks for payments.refund`',
        color: '#b3261e',
      },
    ]);
    expect(message?.attachments[0]?.fields).toContainEqual({
      title: 'Risk',
      value: '`Critical`',
      short: true,
    });
    await decideIntent(t.gate, t.owner.caller, { intentId: id, decision: 'deny' });
    expect((await messages())[0]?.attachments[0]?.text).toBe('`Denied: payments.refund`');
  });

  test.each([
    ['pаypal-bot', '“pаypal”: mixes Latin and Cyrillic letters; reads like “paypal”'],
    ['bot-1٢3', '“1٢3”: mixes digits of 2 systems: reads 123'],
    ['Ame\u0301lie', '“Ame\u0301lie”: not NFC; reads like “Amélie”'],
  ])(
    'warns about misleading characters in the source, and shows what it reads like: %s',
    async (source, line) => {
      await put();
      await t.ask('payments.refund', { source }, t.secret);
      const [message] = await messages();
      expect(message?.attachments[0]?.fields).toContainEqual({
        title: 'Beware',
        value: `\`${line}\``,
        short: line.length <= 40,
      });
      await t.ask('payments.refund', { source: 'Zoë Müller' }, t.secret);
      expect(JSON.stringify(await messages())).not.toContain('Beware');
    },
  );

  test('shows mentions, links and markup in the source as plain text', async () => {
    await put();
    await t.ask(
      'a',
      { source: '<!channel> <https://evil.example|click> *bold* `code` @here &amp; \u202Egpj' },
      t.secret,
    );
    const [message] = await messages();
    const fields = message?.attachments[0]?.fields ?? [];
    const by = fields.find(({ title }) => title === 'Requested by')?.value ?? '';
    expect(by).toBe(
      '`&lt;!channel&gt; &lt;https:⟨//⟩evil.example|click&gt; *bold* ⟨U+0060⟩code⟨U+0060⟩ @here &amp;amp; ⟨U+202E⟩gpj`',
    );
  });

  test('announces many simultaneous requests together', async () => {
    await put();
    await Promise.all(Array.from({ length: 150 }, () => t.ask('a')));
    const [message, ...others] = await messages();
    expect(others).toEqual([]);
    expect(message?.text).toContain('100 requests need review, 50 more');
    expect(message?.attachments).toHaveLength(10);
  });

  test('is sent only for the chosen kinds and risks', async () => {
    await put({ kinds: ['waiting'], minimumRiskTier: 'high' });
    await t.ask('low');
    expect(await messages()).toEqual([]);
    const id = await t.ask('high', { riskTier: 'high' });
    expect(await messages()).toHaveLength(1);
    await decideIntent(t.gate, t.owner.caller, { intentId: id, decision: 'deny' });
    expect(await messages()).toEqual([]);
  });
});

describe('a chat hook', () => {
  test('is stored sealed, shown by host and last characters, and recorded in the audit log without its address', async () => {
    const shown = await put();
    expect(shown).toMatchObject({ host: new URL(t.posts.url).host, hint: 'OKEN' });
    expect(JSON.stringify(await hook())).not.toContain('s3cret');
    const events = await t.events(t.projectId, 'chat_hook.updated');
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({
      host: shown.host,
      address_changed: true,
      minimum_risk_tier: 'low',
    });
    expect(JSON.stringify(events)).not.toMatch(/s3cret|OKEN/);
  });

  test('keeps its address when only its settings change', async () => {
    await put();
    await putChatHook(t.gate, OPERATOR, {
      projectId: t.projectId,
      kinds: ['waiting'],
      minimumRiskTier: 'low',
    });
    await t.ask();
    await t.tell();
    expect(t.posts.received.map(({ path }) => path)).toEqual([SECRET_PATH]);
  });

  test('is refused without an address, or with a private or unencrypted one', async () => {
    const settings = { projectId: t.projectId, kinds: [], minimumRiskTier: 'low' as const };
    await expect(putChatHook(t.gate, OPERATOR, settings)).rejects.toMatchObject({
      code: 'invalid_fields',
    });
    await expect(put({ url: 'https://10.0.0.1/hook' })).rejects.toMatchObject({ code: 'invalid_fields' });
    await expect(put({ url: 'http://hooks.example.com/x' })).rejects.toMatchObject({
      code: 'invalid_fields',
    });
    expect(await hook()).toBeUndefined();
  });

  test('cannot be set or tested by an approver', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const settings = {
      projectId: t.projectId,
      url: 'https://hooks.example.com/x',
      kinds: [],
      minimumRiskTier: 'low' as const,
    };
    await expect(putChatHook(t.gate, ann.caller, settings)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(testChatHook(t.gate, ann.caller, t.projectId)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await hook()).toBeUndefined();
  });

  test('can be tested, and shows whether the test succeeded', async () => {
    await put();
    await testChatHook(t.gate, OPERATOR, t.projectId);
    expect((await messages())[0]?.attachments[0]?.text).toBe('`Permitry can reach you here`');
    expect(await hook()).toMatchObject({ lastError: null, lastSentAt: expect.any(String) });
    t.posts.answers.set(SECRET_PATH, { status: 404 });
    await testChatHook(t.gate, OPERATOR, t.projectId);
    await t.tell();
    expect(await hook()).toMatchObject({ lastError: 'The chat answered 404.' });
  });

  test('is removed together with its queued messages', async () => {
    await put();
    await t.ask();
    await t.gate.ledger.sealNow(t.projectId);
    await t.notifications.runOnce();
    expect(await t.gate.storage.read.countWaitingNotifications()).toBe(1);
    await removeChatHook(t.gate, OPERATOR, t.projectId);
    expect(await t.gate.storage.read.countWaitingNotifications()).toBe(0);
    expect(await messages()).toEqual([]);
    expect(await t.events(t.projectId, 'chat_hook.removed')).toHaveLength(1);
    await expect(removeChatHook(t.gate, OPERATOR, t.projectId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
