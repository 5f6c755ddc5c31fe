import { describe, expect, it } from 'vitest';
import { errorTableFor } from '../../src/http/errors/error-table.ts';
import { SURFACE_A_ERRORS } from '../../src/http/surface-a/error-codes.ts';
import { SURFACE_B_ERRORS } from '../../src/http/surface-b/error-codes.ts';

/** As published: the interface's own codes, then those the contract adds, each with its status. */
const PUBLISHED_A: Record<string, number[]> = {
  UNAUTHORIZED: [401],
  MISSING_FIELDS: [400],
  AGENT_PAUSED: [403],
  AGENT_REVOKED: [403],
  INVALID_PERMIT: [400],
  INVALID_PROOF: [400],
  RATE_LIMITED: [429],
  FORBIDDEN: [403],
  INVALID_FIELDS: [400],
  PAYLOAD_TOO_LARGE: [413],
  UNSUPPORTED_MEDIA_TYPE: [415],
  NOT_ACCEPTABLE: [406],
  REQUEST_TIMEOUT: [408],
  INTENT_NOT_FOUND: [404],
  NOT_FOUND: [404],
  INTENT_EXPIRED: [410],
  INTENT_ALREADY_RESOLVED: [409],
  INTENT_DENIED: [403],
  ALREADY_VOTED: [409],
  APPROVER_NOT_FOUND: [422],
  POLICY_VIOLATION: [403],
  PROOF_REQUIRED: [403],
  PROJECT_STOPPED: [403],
  CONFLICT: [409],
  PRECONDITION_FAILED: [412],
  IDEMPOTENCY_CONFLICT: [409, 422],
  SERVICE_UNAVAILABLE: [503],
  INTERNAL_ERROR: [500],
};

const PUBLISHED_B: Record<string, number[]> = {
  intent_not_found: [404],
  intent_expired: [410],
  intent_already_resolved: [409],
  permit_invalid: [400],
  invalid_proof: [400],
  policy_violation: [403],
  unauthorized: [401],
  rate_limited: [429],
  forbidden: [403],
  invalid_request: [400],
  payload_too_large: [413],
  unsupported_media_type: [415],
  not_acceptable: [406],
  request_timeout: [408],
  not_found: [404],
  project_not_found: [404],
  intent_denied: [403],
  already_voted: [409],
  approver_not_found: [422],
  proof_required: [403],
  agent_paused: [403],
  agent_revoked: [403],
  project_stopped: [403],
  conflict: [409],
  precondition_failed: [412],
  idempotency_conflict: [409, 422],
  service_unavailable: [503],
  internal_error: [500],
};

function codesOf(table: Record<string, { code: string; status: number }>): Record<string, number[]> {
  const lines = Object.values(table);
  const statusesOf = (wanted: string) =>
    lines.filter(({ code }) => code === wanted).map(({ status }) => status);
  return Object.fromEntries(lines.map(({ code }) => [code, [...new Set(statusesOf(code))].sort()]));
}

describe('error codes', () => {
  it('are those published for surface A', () => {
    expect(codesOf(SURFACE_A_ERRORS)).toEqual(PUBLISHED_A);
  });

  it('are those published for surface B', () => {
    expect(codesOf(SURFACE_B_ERRORS)).toEqual(PUBLISHED_B);
  });

  it.each([
    ['/api', 'a'],
    ['/api/intents', 'a'],
    ['/api?x=1', 'a'],
    ['/apis', 'b'],
    ['/v1/intents', 'b'],
    ['/nothing', 'b'],
    ['/v1/api/', 'b'],
  ])('for %s are those of surface %s', (url, surface) => {
    const tables = { a: SURFACE_A_ERRORS, b: SURFACE_B_ERRORS };
    expect(errorTableFor(tables, url)).toBe(tables[surface as 'a' | 'b']);
  });
});
