/**
 * Builds frequent statements with Kysely only once and runs them with new values each time, because building a statement takes
 * several times as long as running it.
 */
import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely';
import type { NewRow, Query, Tables } from './tables.ts';

/** Runs the statement inside the transaction of `query`, if it has one. */
type Prepared<Values, Row> = (query: Query, values: Values) => Promise<QueryResult<Row>>;

/** Statements without a result. See `prepareWrite`. */
const writes = new Set<string>();

/** `build` is called once, with a placeholder for each value, and must use all of them. */
export function prepareQuery<Values extends object, Row>(
  build: (query: Query, values: Values) => Compilable<Row>,
  onCompiled: (statement: CompiledQuery) => void = () => {},
): Prepared<Values, Row> {
  const statements = new WeakMap<DialectAdapter, CompiledQuery<Row>>(); // each database has its own statements
  return (query, values) => {
    const { adapter } = query.getExecutor();
    let statement = statements.get(adapter);
    if (!statement) {
      statement = build(query, MARKS as Values).compile();
      statements.set(adapter, statement);
      onCompiled(statement);
    }
    return query.executeQuery({ ...statement, parameters: statement.parameters.map((each) => fill(each, values)) });
  };
}

/**
 * Like `prepareQuery`, for a statement that changes rows and returns nothing. In a transaction, a database across a network may receive
 * it together with the next statement, at the latest with the commit. That statement then throws its error.
 */
export function prepareWrite<Values extends object>(
  build: (query: Query, values: Values) => Compilable<unknown>,
): (query: Query, values: Values) => Promise<void> {
  const write = prepareQuery(build, ({ sql }) => writes.add(sql));
  return async (query, values) => void (await write(query, values));
}

/** Prepares the insertion of a row with these columns. Others have their default. */
export function prepareInsert<T extends keyof Tables, C extends keyof NewRow<T> & string>(
  table: T,
  columns: readonly C[],
): (query: Query, row: Pick<NewRow<T>, C>) => Promise<void> {
  return prepareWrite((query, row) => {
    const values = Object.fromEntries(columns.map((column) => [column, row[column]]));
    return query.insertInto(table).values(values as NewRow<T>);
  });
}

export function isWrite(statement: string): boolean {
  return writes.has(statement);
}

function fill(parameter: unknown, values: object): unknown {
  return parameter instanceof Placeholder ? values[parameter.name as keyof typeof values] : parameter;
}

/**
 * A placeholder for a value that is not known yet. Reading it is an error, because the statement would keep the value
 * permanently.
 */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a prepared statement cannot depend on ${this.name}: it is built once, before the values are known`);
  }
}

const MARKS = new Proxy(
  {},
  {
    get: (_, name) => new Placeholder(String(name)),
    ownKeys: () => {
      throw new Error('a prepared statement must read each of its values by name');
    },
  },
);
