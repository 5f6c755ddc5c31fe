import {
  type ApprovalFinding,
  type EvidenceVerification,
  type IntentHashInput,
  type ReceiptClaims,
  type ReceiptRefusal,
  readReceiptClaims,
  verifyApprovalEvidence,
  verifyReceiptOffline,
} from '@permitry/protocol';
import { type Command, Option } from 'commander';
import { readJwks } from '../audit-file/read-jwks.ts';
import { usage } from '../command-failure.ts';
import { examples, jsonOption } from '../command-options.ts';
import { printJson } from '../printing/print.ts';
import { paint, sayVisibly } from '../printing/say.ts';
import { readKeyFiles } from '../receipt-file/read-approver-keys.ts';
import { readIntent } from '../receipt-file/read-intent.ts';
import { readJsonFile } from '../receipt-file/read-json-file.ts';
import { readReceipt } from '../receipt-file/read-receipt.ts';
import { FINDING_SENTENCES, PROBLEM_SENTENCES } from '../receipt-file/sentences.ts';

export function addReceiptCommands(program: Command): void {
  const receipt = program
    .command('receipt')
    .summary('verify receipts offline')
    .description(
      'Verify receipts: signed records of approvals, checked offline and without trusting the gate.',
    )
    .addHelpText('after', examples('permitry receipt verify receipt.json --approvers approver-keys.json'));

  receipt
    .command('verify')
    .summary('check offline who approved a request')
    .description(
      'Check for each approver in a receipt whether their own passkey or device key signed exactly this request. Nothing is fetched, and the gate is not trusted: keys come from files that you saved before. Exit code 0 if every approver signed and everything given matches, 1 otherwise.',
    )
    .argument('<file>', 'receipt_v2, an answer that contains it, or its jws; - for stdin')
    .addOption(
      new Option(
        '--approvers <file>',
        "approvers' key files, as each approver exported theirs (repeatable)",
      ).argParser((path: string, earlier: string[] = []) => [...earlier, path]),
    )
    .option('--intent <file>', 'everything that was hashed, if the receipt file does not contain it')
    .option('--action <name>', 'the action it must be for')
    .option('--params <file>', 'the parameters it must be for, as JSON')
    .option('--jwks <file>', "the gate's keys, saved from /.well-known/jwks.json")
    .option('--issuer <url>', 'with --jwks: base URL of the gate')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'permitry receipt verify r.json --approvers ana.json --intent intent.json',
        'permitry receipt verify r.json --jwks jwks.json --issuer https://g.example',
      ),
    )
    .action(verify);
}

interface VerifyFlags {
  approvers?: string[];
  intent?: string;
  action?: string;
  params?: string;
  jwks?: string;
  issuer?: string;
  json?: true;
}

interface Verdict {
  valid: boolean;
  /** Null if the receipt cannot be read at all. */
  claims: ReceiptClaims | null;
  /** The problem of the receipt as a whole. */
  problem: ReceiptRefusal | 'intent_mismatch' | null;
  /** Null without key files. */
  approvals: readonly ApprovalFinding[] | null;
  /** Whether the gate's key signed the receipt. Null without `--jwks`. */
  gateSigned: boolean | null;
  /** Whether `--intent` names the intent that was signed. Null without `--intent`. */
  intentMatches: boolean | null;
}

async function verify(file: string, flags: VerifyFlags): Promise<void> {
  assertUsable(flags);
  const verdict = await judge(file, flags);
  if (flags.json) printJson(toJson(verdict));
  else process.stdout.write(toText(file, verdict));
  if (!verdict.valid) process.exitCode = 1;
}

function assertUsable({ approvers, jwks, issuer }: VerifyFlags): void {
  if (!approvers && jwks === undefined)
    throw usage(
      'Pass --approvers to check who approved, or --jwks with --issuer to check which gate issued it.',
    );
  if ((jwks === undefined) !== (issuer === undefined))
    throw usage('Pass --jwks and --issuer together: the keys of one gate prove nothing about another.');
}

async function judge(file: string, flags: VerifyFlags): Promise<Verdict> {
  const { approvers, action, jwks, issuer } = flags;
  const approverKeys = approvers && (await readKeyFiles(approvers));
  const keys = jwks === undefined ? undefined : readJwks(jwks);
  const params =
    flags.params === undefined ? undefined : await readJsonFile(flags.params, `--params ${flags.params}`);
  const kept = await readReceipt(file);
  const { receipt } = kept;
  const intent = flags.intent === undefined ? kept.intent : await readIntent(flags.intent);

  const bound = { ...(action === undefined ? {} : { action }), ...(params === undefined ? {} : { params }) };
  const read = readReceiptClaims(receipt);
  // Without key files, no person is known. The other given files are still compared with the receipt.
  const evidence = await verifyApprovalEvidence(receipt, {
    approverKeys: approverKeys ?? {
      knows: () => false,
      find: () => undefined,
      findDevice: () => undefined,
    },
    ...bound,
    ...(intent === undefined ? {} : { intent }),
  });
  const gate =
    keys && issuer !== undefined
      ? await verifyReceiptOffline(receipt, { jwks: keys, issuer, ...bound })
      : undefined;
  return conclude(
    read.ok ? read.claims : null,
    approverKeys ? evidence : withoutPeople(evidence),
    gate,
    intent,
  );
}

/** The rest of the result when no key files were given. */
function withoutPeople(evidence: EvidenceVerification): EvidenceVerification {
  return 'reason' in evidence ? evidence : { ...evidence, ok: true, approvals: [] };
}

function conclude(
  claims: ReceiptClaims | null,
  evidence: EvidenceVerification,
  gate: { ok: true } | { ok: false; reason: ReceiptRefusal } | undefined,
  intent: IntentHashInput | undefined,
): Verdict {
  const problem = 'reason' in evidence ? evidence.reason : gate && !gate.ok ? gate.reason : null;
  const approvals = 'reason' in evidence || evidence.approvals.length === 0 ? null : evidence.approvals;
  return {
    valid: evidence.ok && (gate?.ok ?? true),
    claims,
    problem,
    approvals,
    gateSigned: gate ? gate.ok : null,
    intentMatches: intent === undefined ? null : !('reason' in evidence),
  };
}

function toJson({ valid, claims, problem, approvals, gateSigned, intentMatches }: Verdict) {
  return {
    valid,
    problem,
    receipt_id: claims?.receipt_id ?? null,
    intent_id: claims?.intent_id ?? null,
    intent_hash: claims?.intent_hash ?? null,
    action: claims?.action ?? null,
    params_hash: claims?.params_hash ?? null,
    approved_at: claims?.approved_at ?? null,
    approvals,
    intent_matches: intentMatches,
    signed_by_gate: gateSigned,
  };
}

function toText(file: string, verdict: Verdict): string {
  const { valid, claims, problem, approvals } = verdict;
  const word = valid ? paint('green', 'proved') : paint('red', 'NOT PROVED');
  const what = claims === null ? '' : `: ${claims.action}, ${claims.receipt_id}`;
  const lines = [
    `${word}  ${file}${what}`,
    ...(problem === null ? [] : [`  ${PROBLEM_SENTENCES[problem]}`]),
    ...(approvals ?? []).flatMap(describeApproval),
    ...(claims === null || problem !== null ? [] : describeContext(verdict, claims)),
  ];
  return `${lines.join('\n')}\n`;
}

function describeApproval(finding: ApprovalFinding): string[] {
  const { by, at, method } = finding;
  const who = `${sayVisibly(by)}, ${at}`;
  if (finding.signed) {
    return [
      `  ${paint('green', 'signed')}      ${who}`,
      `              with the ${finding.method === 'device' ? 'device key' : 'passkey'} ${finding.credential_id}`,
    ];
  }
  const how = method === null ? '' : ` (${method})`;
  return [
    `  ${paint('red', 'not proved')}  ${who}${how}`,
    `              ${FINDING_SENTENCES[finding.reason]}`,
  ];
}

function describeContext({ approvals, intentMatches, gateSigned }: Verdict, claims: ReceiptClaims): string[] {
  const intent = intentMatches
    ? 'matches the request given, exactly'
    : `${claims.intent_hash}\n              not compared; pass --intent to check it. Action and parameters are what the gate says`;
  const gate =
    gateSigned === null
      ? 'its signature was not checked; pass --jwks to check it'
      : 'signed with a key from --jwks';
  return [...(approvals === null ? [] : [`  request     ${intent}`]), `  gate        ${gate}`];
}
