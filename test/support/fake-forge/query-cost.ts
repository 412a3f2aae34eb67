/**
 * What a query costs, by the forge's documentation ("Rate limits and node limits for the GraphQL API"): the requests
 * that its connections need, a hundredth of them in points; and the nodes that it may return. Connections that are only
 * counted (`totalCount`) are requests too here. The real forge may count fewer.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { createForgeError, type ForgeErrorObject, formatForgeError } from './forge-error.ts'

/** What a query costs, and which limits it breaks whatever the budget is. */
export interface QueryCost {
  points: number
  /** Nodes that it may return. */
  nodes: number
  errors: ForgeErrorObject[]
}

const maxPageSize = 100
const maxIds = 100
const maxNodes = 500_000

/** Measures an operation of a valid document. */
export function measureQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): QueryCost {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const errors: ForgeErrorObject[] = []
  let requests = 0
  let nodes = 0
  /** Fields that several fragments select are one. */
  const seen = new Set<string>()

  /** `times`: how many objects of this type there may be. */
  function visit(
    type: GraphQLNamedType | undefined,
    set: SelectionSetNode,
    path: readonly string[],
    times: number,
  ): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        visitField(type, selection, [...path, (selection.alias ?? selection.name).value], times)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition?.name.value
        visit(condition === undefined ? type : schema.getType(condition), selection.selectionSet, path, times)
      } else {
        const fragment = fragments.get(selection.name.value)
        if (fragment)
          visit(schema.getType(fragment.typeCondition.name.value), fragment.selectionSet, path, times)
      }
    }
  }

  function visitField(
    type: GraphQLNamedType | undefined,
    field: FieldNode,
    path: readonly string[],
    times: number,
  ): void {
    if (!isObjectType(type) && !isInterfaceType(type)) return
    const definition = type.getFields()[field.name.value]
    if (definition === undefined || field.selectionSet === undefined) return
    const argument = readArguments(field, variables)
    const fieldType = getNamedType(definition.type)
    const isNew = !seen.has(path.join('.'))
    seen.add(path.join('.'))

    if (fieldType.name.endsWith('Connection')) {
      const size = argument.first ?? argument.last
      const isListed = field.selectionSet.selections.some(
        (selection) => selection.kind !== Kind.FIELD || selection.name.value !== 'totalCount',
      )
      if (isListed && isNew) checkPageSize(field, path, argument)
      if (isNew) requests += times
      const pageSize = typeof size === 'number' ? size : 0
      if (isNew) nodes += times * pageSize
      visit(fieldType, field.selectionSet, path, times * pageSize)
      return
    }
    const ids = argument.ids
    if (Array.isArray(ids) && ids.length > maxIds) {
      const message = `You may not provide more than ${maxIds} node ids; you provided ${ids.length}.`
      report('ARGUMENT_LIMIT', message, field, path)
    }
    if (Array.isArray(ids) && isNew) nodes += times * ids.length
    visit(fieldType, field.selectionSet, path, Array.isArray(ids) ? times * ids.length : times)
  }

  function checkPageSize(
    field: FieldNode,
    path: readonly string[],
    argument: Readonly<Record<string, unknown>>,
  ): void {
    const name = field.name.value
    const limit = argument.first == null ? 'last' : 'first'
    const size = argument[limit]
    if (size == null) {
      const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`
      report('MISSING_PAGINATION_BOUNDARIES', message, field, path)
    } else if (typeof size === 'number' && (size < 1 || size > maxPageSize)) {
      const message = `Requesting ${size} records on the \`${name}\` connection exceeds the \`${limit}\` limit of ${maxPageSize} records.`
      report('EXCESSIVE_PAGINATION', message, field, path)
    }
  }

  function report(type: string, message: string, field: FieldNode, path: readonly string[]): void {
    const line = field.loc?.startToken.line
    const column = field.loc?.startToken.column
    const locations = line === undefined || column === undefined ? [] : [{ line, column }]
    errors.push({ ...formatForgeError(createForgeError(type, message)), path, locations })
  }

  const root = schema.getRootType(operation.operation) ?? undefined
  visit(root, operation.selectionSet, [], 1)
  if (nodes > maxNodes) {
    const message = `This query requests up to ${nodes.toLocaleString('en')} possible nodes which exceeds the maximum limit of ${maxNodes.toLocaleString('en')}.`
    errors.push(formatForgeError(createForgeError('MAX_NODE_LIMIT_EXCEEDED', message)))
  }
  return { points: Math.max(1, Math.round(requests / 100)), nodes, errors }
}

function readArguments(
  field: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (field.arguments ?? []).map(({ name, value }) => [
      name.value,
      valueFromASTUntyped(value, { ...variables }),
    ]),
  )
}
