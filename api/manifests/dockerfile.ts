/** A variable of the build, `$NAME` or `${NAME}`, with a default perhaps. */
const variable = /\$(?:(\w+)|\{(\w+)(?::?-([^}]*))?\})/g

/**
 * The images in a `Dockerfile` that stages begin with, without tag and digest; null for one that only the build's arguments
 * name. Those of Docker Hub have neither host nor `library/`. `scratch` and earlier stages aren't images.
 *
 * @throws never
 */
export function* parseDockerfile(content: string): Generator<string | null> {
  const stages = new Set<string>(['scratch'])
  const values = new Map<string, string>()
  for (const line of content.replace(/[\\`][ \t]*\r?\n/g, ' ').split(/\r\n?|\n/)) {
    const [instruction = '', ...words] = line.trim().split(/\s+/)
    if (/^arg$/i.test(instruction)) {
      const [, name, value] = /^(\w+)=["']?([^"']*)/.exec(words[0] ?? '') ?? []
      if (name !== undefined && value !== undefined) values.set(name, value)
    }
    if (!/^from$/i.test(instruction)) continue
    const [image = '', as = '', stage] = words.filter((word) => !word.startsWith('--'))
    const resolved = image.replace(variable, (whole, plain, braced, other) => {
      return values.get(plain ?? braced) ?? other ?? whole
    })
    if (!stages.has(resolved.toLowerCase())) {
      const name = cutTag(resolved)
      if (name.includes('$')) yield null
      else yield name.replace(/^(?:(?:index\.)?docker\.io\/)?(?:library\/)?/, '')
    }
    if (/^as$/i.test(as) && stage !== undefined) stages.add(stage.toLowerCase())
  }
}

/** Cuts the tag and the digest. A colon before the last slash is that of a port. */
function cutTag(image: string): string {
  const [name = ''] = image.split('@', 1)
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1)
  return colon < 0 ? name : name.slice(0, colon)
}
