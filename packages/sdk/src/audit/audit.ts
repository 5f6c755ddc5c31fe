/** Owns reading the audit log: `permitry.audit`. */
import type { AuditRecord } from '@permitry/protocol';
import type { CallOptions } from '../calls/call-options.ts';
import { assertAnswer, type HttpClient, segment } from '../calls/http-client.ts';
import type { AuditQuery } from '../wire/audit.ts';
import type { Page } from '../wire/page.ts';

/** The audit log of a project. Agents cannot read it. */
export class Audit {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * One page of a project's log. The gate first seals everything up to this moment.
   *
   * @throws PermitryError `project_not_found`, `forbidden`, `invalid_request`
   * @example const { data } = await permitry.audit.list('prj_…', { type: 'intent.approved', limit: 100 });
   */
  async list(projectId: string, query: AuditQuery = {}, options?: CallOptions): Promise<Page<AuditRecord>> {
    const path = `/v1/projects/${segment(projectId)}/audit`;
    const request = { method: 'GET', path, query: { ...query } };
    const page = await this.#http.send<Page<AuditRecord>>(request, options);
    assertAnswer(Array.isArray(page?.data));
    return page;
  }

  /**
   * All records. Fetches each page when you reach it. With `order: 'asc'` they come in the order of the chain.
   *
   * @throws as `list`
   * @example
   * for await (const record of permitry.audit.all('prj_…', { order: 'asc' })) console.log(record.seq, record.type);
   */
  async *all(
    projectId: string,
    query: AuditQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<AuditRecord, void, undefined> {
    let cursor = query.cursor;
    do {
      const page = await this.list(
        projectId,
        { limit: 200, ...query, ...(cursor === undefined ? {} : { cursor }) },
        options,
      );
      yield* page.data;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
}
